/** What this service and those who call it about sources share. None of it is ever logged, told or shown. */
export interface SourceSecrets {
  /** Of webhooks of each host: the current one first, then the one before it; none where it is not set. */
  readonly github: readonly string[]
  readonly gitlab: readonly string[]
  readonly bitbucket: readonly string[]
  readonly azureDevops: readonly string[]
  /**
   * Whether a webhook that names no installation reaches deployments of every organization while nobody has linked the repository, and an
   * account's name proves whose an installation is. For services without strangers.
   */
  readonly linksAreOpen: boolean
  /** What callbacks of builders are signed with; undefined: there are none. */
  readonly callback: string | undefined
  /** Where statuses of commits are posted to, without a slash at the end; undefined: none are. */
  readonly apiUrl: string | undefined
  /** Sent along with them as a bearer. */
  readonly apiToken: string | undefined
}
