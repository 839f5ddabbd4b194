/** Secrets shared with source hosts and builders. They are never logged, sent or shown. */
export interface SourceSecrets {
  /** Webhook secrets of each host: the current one, then the previous one; empty if none is set. */
  readonly github: readonly string[]
  readonly gitlab: readonly string[]
  readonly bitbucket: readonly string[]
  readonly azureDevops: readonly string[]
  /**
   * Whether, as long as nobody has linked a repository, a webhook without an installation reaches the deployments of
   * every organization, and the name of an account proves who owns an installation. Only for services without
   * strangers.
   */
  readonly linksAreOpen: boolean
  /** Key for builders' callback tokens; undefined: there are no callbacks. */
  readonly callback: string | undefined
  /** API to which commit statuses are posted, without a trailing slash; undefined: none are posted. */
  readonly apiUrl: string | undefined
  /** Bearer token for these posts. */
  readonly apiToken: string | undefined
}
