/** A named set of tools. Names may be of tools that do not exist yet: they are left out when a view is made. */
export interface Toolset {
  readonly name: string;
  readonly description: string;
  /** Names of tools. @default none */
  readonly tools?: readonly string[] | undefined;
  /** Names of other sets whose tools belong to it too. @default none */
  readonly includes?: readonly string[] | undefined;
}
