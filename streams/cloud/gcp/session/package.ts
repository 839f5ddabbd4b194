/**
 * How Google's packages reach Google: each request goes through `sendTo`, whatever the package's own transport, proxies,
 * retries and environment variables are. So addresses are checked, answers are limited, and errors are those of `api.ts`.
 */
import type { AuthClient, gaxios } from 'google-auth-library'
import { cloudFault } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { sendTo, serviceAt, type Wire } from './api.ts'

export const googleAuth = () => sdk('google-auth-library', () => import('google-auth-library'))

interface Sender {
  /** Left out for requests that carry their own proof. */
  token?: () => Promise<string>
  keep: string
  /** For packages that pass no signal of their own. */
  signal?: AbortSignal
}

/** A transport for clients of `google-auth-library`, and of the packages that are built on it. */
export async function transporterOf(wire: Wire, sender: Sender): Promise<gaxios.Gaxios> {
  const { gaxios: own } = await googleAuth()
  const fetchImplementation = (input: string | URL | Request, init?: RequestInit) => sent(wire, sender, input, init)
  class Transporter extends own.Gaxios {
    /** Retries belong to the caller; requests of packages turn theirs on. */
    override request<T>(options: gaxios.GaxiosOptions): gaxios.GaxiosPromise<T> {
      return super.request<T>({ ...options, retry: false, retryConfig: { retry: 0 }, fetchImplementation })
    }
  }
  return new Transporter()
}

/** What a client of a package takes as its credentials. */
export async function authClientOf(wire: Wire, sender: Sender): Promise<AuthClient> {
  const [{ PassThroughClient }, transporter] = await Promise.all([googleAuth(), transporterOf(wire, sender)])
  return new PassThroughClient({ transporter })
}

async function sent(
  wire: Wire,
  { token, keep, signal }: Sender,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(input, { ...init, redirect: 'manual' })
  const url = new URL(request.url)
  const service = serviceAt(url)
  const content = new Uint8Array(await request.arrayBuffer())
  request.headers.delete('accept-encoding')
  if (content.length === 0) request.headers.delete('content-type')
  const answer = await sendTo(
    wire,
    service,
    {
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: content.length === 0 ? undefined : content,
    },
    {
      token: await token?.(),
      keep,
      signal: signal ? AbortSignal.any([signal, request.signal]) : request.signal,
    },
  )
  // Packages take a list or a text for an empty answer.
  if (answer.length > 0 && !/^\s*\{/.test(answer.toString('utf8', 0, 1000)))
    throw cloudFault('system', 'unknown_answer', `${service} returned an unexpected response to ${url.pathname}.`)
  return new Response(new Uint8Array(answer), { headers: { 'content-type': 'application/json' } })
}
