/** Who may speak of a repository: of one at a host that everybody knows, that host alone. */
import type { SourceHost } from '#streams/source/event.ts'

const knownHosts: Readonly<Record<string, SourceHost>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'dev.azure.com': 'azure-devops',
}

const hostOf = (repositoryKey: string): string => repositoryKey.split('/', 1)[0]!.replace(/:\d+$/, '')

/** Whether a webhook of `host` is believed about a repository, by its key. Hosts that customers run themselves are nobody's alone. */
export function maySpeakOf(host: SourceHost, repositoryKey: string): boolean {
  const owner = knownHosts[hostOf(repositoryKey)]
  return owner === undefined || owner === host
}

/** Whether an API has the repositories of a host: `api.github.com` those of `github.com`. Of an API of another name nobody can tell. */
export function isServedBy(apiUrl: string, repositoryKey: string): boolean {
  const { hostname } = new URL(apiUrl)
  return !hostname.startsWith('api.') || hostname.slice('api.'.length) === hostOf(repositoryKey)
}
