/** ClickHouse by raw HTTP, as curl would ask it: the full door by its socket, analysts by their port. */
import http from 'node:http'
import { buffer } from 'node:stream/consumers'
import { placeOf } from '#config/embedded/clickhouse/address.ts'

export interface Asked {
  method?: string
  path?: string
  body?: string | Buffer
  headers?: Record<string, string>
  params?: Record<string, string>
}

/** An answer as it came, at an address as `config/embedded/clickhouse/address.ts` writes it. */
export function askAt(
  url: string,
  { method = 'POST', path = '/', body = '', headers = {}, params = {} }: Asked,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const asked = `${path}?${new URLSearchParams(params).toString()}`
    const request = http.request({ ...placeOf(url), method, path: asked, headers }, (answer) => {
      const told = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      buffer(answer).then(
        (bytes) => resolve(new Response(new Uint8Array(bytes), { status: answer.statusCode!, headers: told })),
        reject,
      )
    })
    request.once('error', reject)
    request.end(method === 'GET' ? undefined : body)
  })
}

/** The headers of an analyst whose password is the token. */
export const basic = (token: string, user = 'analyst'): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`,
})
