/** Normalizes repository addresses, so that a push finds its deployments (decision G-26). */

/** Maximum bytes of an address, and below of a branch: both together fit into an index entry. */
export const repositoryUrlMax = 1024
export const branchMax = 255

/** `git@host:path`, with any user and without a port. */
const scpForm = /^(?:[^\s@/:]+@)?([a-z0-9][a-z0-9.-]*):(?!\/\/)\/?([^\s@]+)$/i
/** Control characters and unpaired surrogates: no host has them in a path, and not all stores accept them. */
// oxlint-disable-next-line no-control-regex
const strange = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u
const schemes: ReadonlySet<string> = new Set(['https:', 'http:', 'ssh:', 'git:', 'git+ssh:'])

/**
 * `host/path`: host in lower case, without scheme, user, password, ssh port, query, `.git` and leading or trailing
 * slashes. Undefined if it is not a repository address. The path's case is kept, because hosts may distinguish it.
 */
export function repositoryKey(url: string): string | undefined {
  const given = url.trim()
  if (strange.test(given)) return undefined
  const short = given.includes('://') ? undefined : scpForm.exec(given)
  const [host, path] = short ? [short[1]!.toLowerCase(), short[2]!] : parts(given)
  const name = decodePath(path)
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
  if (host === '' || name === '' || strange.test(name)) return undefined
  const key = normalizeName(host, name)
  return Buffer.byteLength(key) > repositoryUrlMax ? undefined : key
}

function parts(given: string): [host: string, path: string] {
  if (!URL.canParse(given)) return ['', '']
  const { protocol, hostname, port, pathname } = new URL(given)
  if (!schemes.has(protocol)) return ['', '']
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return [`${hostname.toLowerCase()}${isWeb && port !== '' ? `:${port}` : ''}`, pathname]
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const azureSsh: ReadonlySet<string> = new Set(['ssh.dev.azure.com', 'vs-ssh.visualstudio.com'])
const azureBefore = /^([a-z0-9-]+)\.visualstudio\.com$/

/**
 * Azure DevOps has different paths for ssh and https, two host names, and a short form if a repository has the name of
 * its project.
 */
function normalizeName(host: string, name: string): string {
  const [first, second, third, fourth, ...more] = name.split('/')
  if (azureSsh.has(host) && first === 'v3' && fourth !== undefined && more.length === 0)
    return `dev.azure.com/${second}/${third}/_git/${fourth}`
  const organization = azureBefore.exec(host)?.[1]
  if (organization !== undefined) return azure(`${organization}/${name.replace(/^DefaultCollection\//i, '')}`)
  return host === 'dev.azure.com' ? azure(name) : `${host}/${name}`
}

const azure = (name: string): string => `dev.azure.com/${name.replace(/^([^/]+)\/_git\/([^/]+)$/, '$1/$2/_git/$2')}`
