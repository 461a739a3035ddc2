import protobuf from 'protobufjs';

/**
 * The calls that the JavaScript SDK makes, as far as sandboxes need them. The SDK carries no protocol files: the numbers
 * are those that its encoders write, and only they, the services, and the methods have to be right.
 */
const modalClient = `
syntax = "proto3";
package modal.client;

message Empty {}
message StringMap { map<string, string> contents = 1; }
message SecretSource { oneof source { string secret_id = 1; StringMap env = 2; } }
message Result { int32 status = 1; string exception = 2; int32 exitcode = 3; }

message AuthToken { string token = 1; }
message AppRequest { string app_name = 1; string environment_name = 2; int32 object_creation_type = 3; }
message App { string app_id = 1; }
message EnvironmentRequest { string deployment_name = 1; int32 object_creation_type = 2; }
message EnvironmentSettings { string image_builder_version = 1; }
message EnvironmentMetadata { string name = 1; EnvironmentSettings settings = 2; }
message Environment { string environment_id = 1; EnvironmentMetadata metadata = 2; }
message SecretRequest {
  string deployment_name = 1; string environment_name = 3; int32 object_creation_type = 4;
  map<string, string> env_dict = 5; repeated string required_keys = 7;
}
message Secret { string secret_id = 1; }

message BaseImage { string image_id = 1; string docker_tag = 2; }
message RegistryConfig { int32 registry_auth_type = 1; string secret_id = 2; }
message ImageDefinition {
  repeated BaseImage base_images = 5; repeated string dockerfile_commands = 6;
  repeated string secret_ids = 12; RegistryConfig image_registry_config = 17;
}
message ImageRequest { ImageDefinition image = 2; string app_id = 4; bool force_build = 7; string builder_version = 9; }
message Image { string image_id = 1; Result result = 2; }
message ImageIdRequest { string image_id = 1; }
message ImageJoinRequest { string image_id = 1; float timeout = 2; string last_entry_id = 3; }
message TaskLog { string data = 1; double timestamp = 7; int32 file_descriptor = 8; }
message ImageProgress { Result result = 1; repeated TaskLog task_logs = 2; string entry_id = 3; bool eof = 4; }

message Resources {
  uint32 memory_mb = 2; uint32 milli_cpu = 3; uint32 memory_mb_max = 5; uint32 ephemeral_disk_mb = 6;
  uint32 milli_cpu_max = 7;
}
message NetworkAccess { int32 type = 1; repeated string allowed_cidrs = 2; repeated string allowed_domains = 3; }
message SandboxDefinition {
  repeated string entrypoint_args = 1; string image_id = 3; Resources resources = 5; uint32 timeout_secs = 7;
  string workdir = 8; NetworkAccess network_access = 22; string name = 30; uint32 idle_timeout_secs = 33;
}
message SandboxTag { string tag_name = 1; string tag_value = 2; }
message SandboxRequest {
  string app_id = 1; SandboxDefinition definition = 2; repeated SandboxTag tags = 4;
  repeated SecretSource secret_sources = 6;
}
message RouterAccess { string jwt = 1; string url = 2; }
message Sandbox { string sandbox_id = 1; string task_id = 3; RouterAccess command_router_access = 5; }
message SandboxIdRequest { string sandbox_id = 1; float timeout = 2; }
message SandboxTask { string task_id = 1; Result task_result = 2; }
message SandboxNameRequest {
  string sandbox_name = 1; string environment_name = 2; string app_name = 3; bool include_terminated = 4;
}
message SandboxRename { string sandbox_id = 1; string name = 2; }
message SandboxListRequest {
  string app_id = 1; double before_timestamp = 2; string environment_name = 3; bool include_finished = 4;
  repeated SandboxTag tags = 5;
}
message SandboxInfo { string id = 1; double created_at = 3; string app_id = 5; repeated SandboxTag tags = 6; string name = 7; }
message SandboxList { repeated SandboxInfo sandboxes = 1; }
message SandboxMetadata { string app_id = 2; }
message SandboxEnd { Result result = 1; SandboxMetadata metadata = 2; }
message TagsRequest { string environment_name = 1; string sandbox_id = 2; repeated SandboxTag tags = 3; }
message Tags { repeated SandboxTag tags = 1; }

service ModalClient {
  rpc AuthTokenGet (Empty) returns (AuthToken);
  rpc AppGetOrCreate (AppRequest) returns (App);
  rpc EnvironmentGetOrCreate (EnvironmentRequest) returns (Environment);
  rpc SecretGetOrCreate (SecretRequest) returns (Secret);
  rpc ImageGetOrCreate (ImageRequest) returns (Image);
  rpc ImageJoinStreaming (ImageJoinRequest) returns (stream ImageProgress);
  rpc ImageFromId (ImageIdRequest) returns (Image);
  rpc ImageDelete (ImageIdRequest) returns (Empty);
  rpc SandboxCreateV2 (SandboxRequest) returns (Sandbox);
  rpc SandboxGetCommandRouterAccess (SandboxIdRequest) returns (RouterAccess);
  rpc SandboxGetTaskIdV2 (SandboxIdRequest) returns (SandboxTask);
  rpc SandboxGetFromName (SandboxNameRequest) returns (Sandbox);
  rpc SandboxGetFromNameV2 (SandboxNameRequest) returns (Sandbox);
  rpc SandboxSetName (SandboxRename) returns (Empty);
  rpc SandboxListV2 (SandboxListRequest) returns (SandboxList);
  rpc SandboxWaitV2 (SandboxIdRequest) returns (SandboxEnd);
  rpc SandboxTerminateV2 (SandboxIdRequest) returns (Empty);
  rpc SandboxTagsSetV2 (TagsRequest) returns (Empty);
  rpc SandboxTagsGetV2 (SandboxIdRequest) returns (Tags);
}

// What a status carries where the server says when to come again.
message RetryPolicy { float retry_after_secs = 1; }
message StatusDetail { string type_url = 1; bytes value = 2; }
message StatusDetails { int32 code = 1; string message = 2; repeated StatusDetail details = 3; }
`;

const commandRouter = `
syntax = "proto3";
package modal.task_command_router;

message Empty {}
message Terminal { bool enabled = 1; uint32 rows = 2; uint32 columns = 3; }
message ExecStart {
  string task_id = 1; string exec_id = 2; repeated string command_args = 3; int32 stdout_config = 4;
  int32 stderr_config = 5; uint32 timeout_secs = 6; string workdir = 7; repeated string secret_ids = 8;
  Terminal pty_info = 9; string container_id = 11; repeated modal.client.SecretSource secret_sources = 13;
}
message ExecId { string task_id = 1; string exec_id = 2; }
message StdioRead { string task_id = 1; string exec_id = 2; uint64 offset = 3; int32 file_descriptor = 4; }
message StdioChunk { bytes data = 1; }
message StdinWrite { string task_id = 1; string exec_id = 2; uint64 offset = 3; bytes data = 4; bool eof = 5; }
message StdinStart { string task_id = 1; string exec_id = 2; uint64 offset = 3; }
message StdinPart { oneof part { StdinStart start = 1; bytes data = 2; Empty end = 3; } }
message StdinStatus { uint64 num_bytes_written = 1; bool closed = 2; }
message ExecEnd { oneof status { int32 code = 1; int32 signal = 2; } }
message SnapshotRequest { string task_id = 1; string snapshot_id = 2; int64 ttl_seconds = 3; }
message Snapshot { string image_id = 1; }

service TaskCommandRouter {
  rpc TaskExecStart (ExecStart) returns (Empty);
  rpc TaskExecStdioRead (StdioRead) returns (stream StdioChunk);
  rpc TaskExecStdinWrite (StdinWrite) returns (Empty);
  rpc TaskExecStdinWriteStream (stream StdinPart) returns (Empty);
  rpc TaskExecStdinStatus (ExecId) returns (StdinStatus);
  rpc TaskExecWait (ExecId) returns (ExecEnd);
  rpc TaskExecPoll (ExecId) returns (ExecEnd);
  rpc TaskSnapshotFilesystem (SnapshotRequest) returns (Snapshot);
}
`;

/** Reads the protocol. Fields keep their names on the wire. */
export function loadProtocol(): protobuf.Root {
  const root = new protobuf.Root();
  for (const text of [modalClient, commandRouter]) protobuf.parse(text, root, { keepCase: true });
  root.resolveAll();
  return root;
}
