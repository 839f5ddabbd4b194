/**
 * How Azure's packages reach Azure: each request becomes a call of the session, whatever the package's own transport,
 * proxies, redirects and retries are. So tokens, limits and errors are those of all other calls.
 */
import type { HttpClient } from '@azure/core-rest-pipeline'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { AzureAnswer } from './fetch.ts'

const pipeline = '@azure/core-rest-pipeline'

/** Packages want credentials, and repeat by default; the session signs and repeats. */
export const ownRules = {
  credential: { getToken: async () => ({ token: 'unused', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) },
  options: { retryOptions: { maxRetries: 0 }, redirectOptions: { maxRetries: 0 } },
} as const

/** A request of a package, as a call of the session. */
interface PackageCall {
  method: 'GET' | 'POST'
  path: string
  query: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

/** `send` throws for an error status, so packages see successful answers only. */
export const httpClientOf = (origin: string, send: (call: PackageCall) => Promise<AzureAnswer>): HttpClient => ({
  async sendRequest(request) {
    const url = new URL(request.url)
    if (url.origin !== origin || url.username !== '')
      throw Fault.refused('address_refused', `${url.origin} is not the address of Azure that Tidemark calls.`)
    const prefer = request.headers.get('prefer')
    const { status, body } = await send({
      method: request.method === 'POST' ? 'POST' : 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      ...(prefer !== undefined && { headers: { prefer } }),
      ...(typeof request.body === 'string' && { body: parseJson(request.body) }),
    })
    const text = body.toString('utf8')
    // Packages take a list or a text for an empty answer.
    if (!/^\s*\{/.test(text))
      throw cloudFault('system', 'unknown_answer', `${url.pathname.split('/').at(-1)}: the response cannot be read.`)
    const { createHttpHeaders } = await sdk(pipeline, () => import('@azure/core-rest-pipeline'))
    return { request, status, headers: createHttpHeaders({ 'content-type': 'application/json' }), bodyAsText: text }
  },
})
