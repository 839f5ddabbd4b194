/**
 * Reads a kubeconfig. Kubeconfigs may name programs to run, files to read and proxies, which would be attacks in one
 * from someone else. Only the members listed here are allowed; any other is refused by name, and its value is never
 * used.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { FAILSAFE_SCHEMA, load } from 'js-yaml'
import { Fault, type Problem } from '#engine/value/fault.ts'
import { outsideUrl } from '#streams/delivery/outbound.ts'
import type { KubernetesServer } from './api.ts'
import { objectOf, type Json } from './json-access.ts'

/** An API server and our credentials for it. */
export interface Kubeconfig {
  url: string
  ca?: string
  /** Either this, or the client certificate. */
  token?: string
  client?: { cert: string; key: string }
  namespace?: string
}

export const serverOf = ({ token, ...server }: Kubeconfig): KubernetesServer => ({
  ...server,
  ...(token !== undefined && { token: async () => token }),
})

/** Maximum characters. */
const lengthMax = 256 * 1024
const entriesMax = 100

/**
 * The server of the current context, or of the only one.
 * @throws Fault `invalid` that names every member that is not allowed
 */
export function readKubeconfig(text: string, { allowPrivate }: { allowPrivate: boolean }): Kubeconfig {
  const root = parseKubeconfig(text)
  checkAll(root)
  const context = contextOf(root)
  const cluster = member(root, 'clusters', textIn(context.value, 'cluster', context.path), 'cluster')
  const user = member(root, 'users', textIn(context.value, 'user', context.path), 'user')
  const namespace = context.value['namespace']
  const ca = certificatesIn(cluster)
  return {
    url: serverIn(cluster, allowPrivate),
    ...(ca !== undefined && { ca }),
    ...credentialsIn(user),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace: namespaceIn(namespace, context.path) }),
  }
}

const wrong = (path: string, message: string): Fault => Fault.invalidAt({ path, code: 'kubeconfig', message })

/** All scalars are read as text, so there are no dates, numbers or custom types. */
function parseKubeconfig(text: string): Json {
  if (text.length > lengthMax) throw wrong('', `A kubeconfig can have at most ${lengthMax} characters.`)
  const root = loadYaml(text)
  if (typeof root !== 'object' || root === null || Array.isArray(root)) throw wrong('', 'must be a kubeconfig')
  return root as Json
}

function loadYaml(text: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA })
  } catch {
    throw wrong('', 'must be a single YAML or JSON document')
  }
}

/** For each list: the member of an entry besides its name, and the members allowed in it. */
const lists = {
  clusters: { inside: 'cluster', allowed: ['server', 'certificate-authority-data'] },
  users: { inside: 'user', allowed: ['token', 'client-certificate-data', 'client-key-data'] },
  contexts: { inside: 'context', allowed: ['cluster', 'user', 'namespace'] },
} as const
type ListName = keyof typeof lists
const listNames = Object.keys(lists) as ListName[]

function checkAll(root: Json): void {
  const problems = [
    ...unknownIn(root, ['apiVersion', 'kind', 'preferences', 'current-context', ...listNames], ''),
    ...(Object.keys(objectOf(root['preferences'])).length > 0 ? [refusal('/preferences')] : []),
    ...listNames.flatMap((name) => problemsOf(root, name)),
  ]
  if (problems.length > 0) throw Fault.invalidAt(...problems.slice(0, 20))
}

function problemsOf(root: Json, name: ListName): Problem[] {
  const list = root[name]
  const { inside, allowed } = lists[name]
  if (!Array.isArray(list) || list.length === 0 || list.length > entriesMax)
    return [{ path: `/${name}`, code: 'kubeconfig', message: `must have 1 to ${entriesMax} ${name}` }]
  const names = new Set<unknown>()
  return list.flatMap((entry, at) => {
    const path = `/${name}/${at}`
    const own = objectOf(entry)['name']
    const isTwice = names.has(own)
    names.add(own)
    return [
      ...(isTwice ? [{ path, code: 'kubeconfig', message: 'is used twice' }] : []),
      ...unknownIn(objectOf(entry), ['name', inside], path),
      ...unknownIn(objectOf(objectOf(entry)[inside]), allowed, `${path}/${inside}`),
    ]
  })
}

const refusal = (path: string): Problem => ({
  path,
  code: 'kubeconfig',
  message:
    'is not allowed in the kubeconfig: only server, certificate-authority-data, token, client-certificate-data and ' +
    'client-key-data are supported',
})

const unknownIn = (value: Json, allowed: readonly string[], path: string): Problem[] =>
  Object.keys(value)
    .filter((name) => !allowed.includes(name))
    .map((name) => refusal(`${path}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`))

interface ValueAtPath {
  path: string
  value: Json
}

function contextOf(root: Json): ValueAtPath {
  const current = root['current-context']
  const contexts = root['contexts'] as unknown[]
  if (typeof current === 'string' && current !== '') return member(root, 'contexts', current, 'context')
  if (contexts.length > 1) throw wrong('/current-context', 'is required when there are several contexts')
  return { path: '/contexts/0/context', value: objectOf(objectOf(contexts[0])['context']) }
}

function member(root: Json, list: ListName, name: string, inside: string): ValueAtPath {
  const at = (root[list] as unknown[]).findIndex((entry) => objectOf(entry)['name'] === name)
  if (at < 0) throw wrong(`/${list}`, `has no ${inside} with the name used by the context`)
  return { path: `/${list}/${at}/${inside}`, value: objectOf(objectOf((root[list] as unknown[])[at])[inside]) }
}

function textIn(value: Json, name: string, path: string): string {
  const found = value[name]
  if (typeof found === 'string' && found !== '') return found
  throw wrong(`${path}/${name}`, 'is required')
}

function serverIn({ path, value }: ValueAtPath, allowPrivate: boolean): string {
  const server = textIn(value, 'server', path)
  const url = checkedUrl(server, `${path}/server`, allowPrivate)
  if (url.search !== '' || url.hash !== '') throw wrong(`${path}/server`, 'must not have a query string or fragment')
  return url.href.replace(/\/+$/, '')
}

function checkedUrl(server: string, path: string, allowPrivate: boolean): URL {
  try {
    return outsideUrl(server, allowPrivate)
  } catch (error) {
    throw wrong(path, error instanceof Fault ? error.message : 'must be a URL')
  }
}

const oneCertificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

function certificatesIn({ path, value }: ValueAtPath): string | undefined {
  const data = value['certificate-authority-data']
  if (data === undefined || data === '') return undefined
  const pem = typeof data === 'string' ? pemOf(data) : undefined
  if (pem === undefined) throw wrong(`${path}/certificate-authority-data`, 'must be base64-encoded certificates')
  return pem
}

/** Decodes base64 to PEM certificates; undefined if it contains anything else. */
export function pemOf(data: string): string | undefined {
  const text = Buffer.from(data, 'base64').toString('latin1')
  const found = text.match(oneCertificate) ?? []
  const isWhole = found.length > 0 && text.replaceAll(oneCertificate, '').trim() === ''
  return isWhole && found.every(isCertificate) ? `${found.join('\n')}\n` : undefined
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}

/** One of both, so that it is certain as whom the cluster sees us. */
function credentialsIn(user: ValueAtPath): Pick<Kubeconfig, 'token' | 'client'> {
  const { path, value } = user
  const hasCertificate = 'client-certificate-data' in value || 'client-key-data' in value
  if (!hasCertificate) return { token: tokenIn(user) }
  if ('token' in value) throw wrong(path, 'must have a token or a client certificate, not both')
  const cert = pemOf(textIn(value, 'client-certificate-data', path))
  if (cert === undefined) throw wrong(`${path}/client-certificate-data`, 'must be base64-encoded certificates')
  const key = Buffer.from(textIn(value, 'client-key-data', path), 'base64').toString('latin1')
  if (!isKeyOf(key, cert)) throw wrong(`${path}/client-key-data`, 'must be the base64-encoded key of the certificate')
  return { client: { cert, key } }
}

function isKeyOf(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function tokenIn({ path, value }: ValueAtPath): string {
  const token = textIn(value, 'token', path)
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token
  throw wrong(`${path}/token`, 'must be a token')
}

function namespaceIn(namespace: string, path: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)) return namespace
  throw wrong(`${path}/namespace`, 'must be a namespace name')
}
