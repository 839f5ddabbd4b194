/** Who asks, in every way in which ClickHouse's clients say it. The password is the token; the user's name may be any. */
import type http from 'node:http'

/** The token of a request; undefined where it carries none. */
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
