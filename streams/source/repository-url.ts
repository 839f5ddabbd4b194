/** One spelling for the many that a repository has, so that a push finds its deployments (decision G-26). */

/** Bytes of an address, and of a branch: both fit into one entry of an index. */
export const repositoryUrlMax = 1024
export const branchMax = 255

/** `git@host:path`, with any user and no port. */
const scpForm = /^(?:[^\s@/:]+@)?([^\s/:@]+):(?!\/\/)\/?(\S+)$/
const schemes: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:', 'git+ssh:'])

/**
 * `host/path`: the host in lower case, without scheme, user, password, port of ssh, query, `.git` and slashes at the ends.
 * Undefined for what is no address of a repository. Upper and lower case of paths differ, as hosts may tell them apart.
 */
export function repositoryKey(url: string): string | undefined {
  const given = url.trim()
  const short = given.includes('://') ? undefined : scpForm.exec(given)
  const [host, path] = short ? [short[1]!.toLowerCase(), short[2]!] : parts(given)
  const name = decoded(path)
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
  return host === '' || name === '' ? undefined : known(host, name)
}

function parts(given: string): [host: string, path: string] {
  if (!URL.canParse(given)) return ['', '']
  const { protocol, hostname, port, pathname } = new URL(given)
  if (!schemes.has(protocol)) return ['', '']
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return [`${hostname.toLowerCase()}${isWeb && port !== '' ? `:${port}` : ''}`, pathname]
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Azure DevOps alone has another path by ssh than by https. */
function known(host: string, name: string): string {
  const [version, organization, project, repository] = host === 'ssh.dev.azure.com' ? name.split('/') : []
  if (version !== 'v3' || repository === undefined) return `${host}/${name}`
  return `dev.azure.com/${organization}/${project}/_git/${repository}`
}
