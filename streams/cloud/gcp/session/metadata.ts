/**
 * Tokens of the service account of the machine that this installation runs on, from Google's metadata service. It
 * answers at a fixed address, and only to the machine itself.
 */
import { parseJson } from '#engine/value/json.ts'
import { decoder, t } from '#engine/value/schema.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import type { Wire } from './api.ts'
import { GcpRefusal } from './fault.ts'

const metadata = 'http://169.254.169.254'
const path = '/computeMetadata/v1/instance/service-accounts/default/token'
const timeoutMs = 10_000
const bytesMax = 64 * 1024

const decode = decoder(
  t.Object({ access_token: t.String(), expires_in: t.Number({ minimum: 1 }) }, { additionalProperties: true }),
)

/** @throws `GcpRefusal` for an error status, a Fault if there is no answer */
export async function attachedToken(
  { endpoint }: Wire,
  signal: AbortSignal,
): Promise<{ token: string; endsAt: number }> {
  const { status, headers, body } = await fetchOutside(`${endpoint?.replace(/\/+$/, '') ?? metadata}${path}`, {
    method: 'GET',
    headers: { 'metadata-flavor': 'Google', accept: 'application/json' },
    timeoutMs,
    bytesMax,
    allowPrivate: true,
    signal,
  })
  const text = body.toString('utf8')
  // Other servers at this address do not name themselves so.
  if (status !== 200 || headers['metadata-flavor'] !== 'Google') throw new GcpRefusal(status, text, 0, 'metadata')
  const { access_token: token, expires_in: seconds } = decode(parseJson(text))
  return { token, endsAt: Date.now() + seconds * 1000 }
}
