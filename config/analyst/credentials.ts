/**
 * Reads the credentials of analysts' requests in every form that ClickHouse clients use. The password is the token; the
 * user name is ignored.
 */
import type http from 'node:http'

/** The token of a request; undefined if it has none. */
export function tokenOf({ headers }: http.IncomingMessage, { searchParams }: URL): string | undefined {
  const key = headers['x-clickhouse-key']
  const [, scheme = '', given = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(headers.authorization ?? '') ?? []
  return [
    Array.isArray(key) ? key[0] : key,
    scheme.toLowerCase() === 'basic' ? passwordOf(given) : undefined,
    scheme.toLowerCase() === 'bearer' ? given : undefined,
    searchParams.get('password') ?? undefined,
  ].find((token) => token !== undefined && token !== '')
}

const passwordOf = (basic: string): string =>
  Buffer.from(basic, 'base64')
    .toString()
    .replace(/^[^:]*:?/, '')
