/** Variables for a command: a stored secret, or given as they are. */
export interface SecretSource {
  readonly secret_id?: string | undefined;
  readonly env?: { readonly contents: Readonly<Record<string, string>> } | undefined;
}

/** A tag of a sandbox on the wire. */
export interface WireTag {
  readonly tag_name: string;
  readonly tag_value: string;
}

/** `SandboxCreateV2`, as far as the double heeds it. */
export interface SandboxRequest {
  readonly app_id: string;
  readonly definition: {
    readonly entrypoint_args: readonly string[];
    readonly image_id: string;
    readonly timeout_secs: number;
    readonly workdir: string;
    readonly network_access: { readonly type: number } | null;
    readonly name: string;
    readonly idle_timeout_secs: number;
  } | null;
  readonly tags: readonly WireTag[];
  readonly secret_sources: readonly SecretSource[];
}

/** `TaskExecStart`, as far as the double heeds it. */
export interface ExecRequest {
  readonly task_id: string;
  readonly exec_id: string;
  readonly command_args: readonly string[];
  /** 1 keeps the output, 0 drops it. */
  readonly stdout_config: number;
  readonly stderr_config: number;
  /** 0 means none. */
  readonly timeout_secs: number;
  readonly workdir: string;
  readonly pty_info?: { readonly enabled: boolean } | null | undefined;
  readonly container_id: string;
  readonly secret_sources: readonly SecretSource[];
}
