/** Decides which host may send webhooks about a repository: for well-known hosts only the host itself. */
import type { SourceHost } from '#streams/source/event.ts'

const knownHosts: Readonly<Record<string, SourceHost>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'dev.azure.com': 'azure-devops',
}

const hostOf = (repositoryKey: string): string => repositoryKey.split('/', 1)[0]!.replace(/:\d+$/, '')

/**
 * Whether a webhook of `host` is accepted for a repository, given by its key. For hosts that customers run themselves,
 * any is.
 */
export function maySpeakOf(host: SourceHost, repositoryKey: string): boolean {
  const owner = knownHosts[hostOf(repositoryKey)]
  return owner === undefined || owner === host
}

/**
 * Whether an API belongs to the repository's host, as `api.github.com` does to `github.com`. True for API names of
 * another form, because this cannot be determined.
 */
export function isServedBy(apiUrl: string, repositoryKey: string): boolean {
  const { hostname } = new URL(apiUrl)
  return !hostname.startsWith('api.') || hostname.slice('api.'.length) === hostOf(repositoryKey)
}
