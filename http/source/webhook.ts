/**
 * Webhooks of source hosts (decision G-97): accepted only from senders that know the secret, and not read before that
 * is verified. The raw bytes are checked first, then the headers, then the media type; only then is the body parsed as
 * JSON.
 */
import type { IncomingMessage } from 'node:http'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { ByteBudget, parseBody, withBytes } from '#http/edge/request/body.ts'
import { badInput, inputFault } from '#http/edge/problem.ts'
import { pushExamples } from '#http/source/example.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { takeEvent, type WebhookResult } from '#http/source/webhook-event.ts'
import { reply } from '#http/store/reply.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'
import { headerOf, type Delivery, type Headers, type SourceEvent, type SourceReader } from '#streams/source/event.ts'
import { sourceReaders } from '#streams/source/index.ts'

/** Maximum bytes of a webhook: the maximum that GitHub sends (decision G-05). */
const bytesMax = 25 * 1024 * 1024
/** Maximum characters of the name of a delivery or event. */
const nameMax = 256

type Host = keyof typeof sourceReaders

const unsignedFault = (): Fault =>
  Fault.unauthenticated('invalid_signature', 'The signature is missing or does not match the body.')

/** Maximum memory of this process for webhooks that are not verified yet. */
export const unverifiedBytes = new ByteBudget(256 * 1024 * 1024)

/** A body that cannot be verified is not stored: the rest is dropped as it arrives. */
async function signedBytes(request: IncomingMessage, host: Host, { source, now }: Services): Promise<Buffer> {
  const reader: SourceReader = sourceReaders[host]
  const secrets = source[host]
  const isClaimed = reader.isClaimed(request.headers, secrets, now())
  if (secrets.length === 0 || !isClaimed) request.resume()
  if (secrets.length === 0) throw Fault.transient('unavailable', 'Webhooks are not set up here.')
  if (!isClaimed) throw unsignedFault()
  return withBytes(request, bytesMax, unverifiedBytes, (raw) => {
    if (reader.isSigned(request.headers, raw, secrets, now())) return raw
    throw unsignedFault()
  })
}

/** @throws Fault `invalid` with every missing header */
function checkHeaders({ needed }: SourceReader, headers: Headers): void {
  const missing = needed.filter((names) => headerOf(headers, ...names) === undefined)
  if (missing.length > 0)
    throw badInput(
      ...missing.map(([name]) => ({ in: 'header' as const, name: name!, code: 'required', message: 'is required' })),
    )
  const type = headerOf(headers, 'content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw Fault.invalid('unsupported_media_type', 'Send the body with Content-Type: application/json.')
}

interface Read {
  delivery: Delivery
  event: SourceEvent
}

function read(reader: SourceReader, headers: Headers, raw: Buffer): Read {
  const payload = parseBody(raw)
  try {
    const delivery = reader.deliveryOf(headers, payload)
    if (!isName(delivery.deliveryId) || !isName(delivery.event))
      throw badInput({
        in: 'header',
        name: reader.needed.at(-1)?.[0] ?? '',
        code: 'format',
        message: 'is not a valid name',
      })
    return { delivery, event: reader.read(delivery.event, payload) }
  } catch (error) {
    throw inputFault(error, 'body')
  }
}

const isName = (text: string): boolean => text.length <= nameMax && /^[\x20-\x7e]+$/.test(text)

const Answer = t.Object(
  {
    deliveryId: t.String(),
    event: t.String(),
    result: t.Enum(['accepted', 'duplicate', 'ignored', 'pending_link'], {
      description:
        'duplicate: an earlier delivery already did everything; ignored: not relevant; pending_link: no organization has linked the installation or the repository, so nothing was done',
    }),
    revisionIDs: t.Array(t.String(), { description: 'of the deployments for the branch' }),
  },
  {
    title: 'WebhookAnswer',
    examples: [
      {
        deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        event: 'push',
        result: 'accepted',
        revisionIDs: ['a4a14383-9cce-58ee-b1ef-efc2cfaaecf3'],
      },
    ],
  },
)

const secretsName: Readonly<Record<Exclude<keyof SourceSecrets & Host, 'github'>, string>> = {
  gitlab: 'GITLAB_WEBHOOK_SECRET',
  bitbucket: 'BITBUCKET_WEBHOOK_SECRET',
  azureDevops: 'AZURE_DEVOPS_WEBHOOK_SECRET',
}

const webhook = (host: Host, name: string, description: string, takes: Record<string, string>): Route =>
  route({
    method: 'POST',
    path: `/webhooks/${sourceReaders[host].host}`,
    summary: `Receive a webhook from ${name}`,
    description:
      `${description} 202 includes the result; 401 invalid_signature has no effect. Repeated deliveries have no effect. The ` +
      'body must not be larger than 25 MiB.',
    permission: 'public',
    limit: 'inbound',
    ...(host !== 'github' && { onlyWith: secretsName[host] }),
    tags: ['Deployments'],
    upload: 'application/json',
    raw: true,
    uploaded: pushExamples[host],
    takes,
    refuses: { 400: ['malformed_json'], 401: ['invalid_signature'] },
    // Hosts and proxies may add parameters to the address.
    query: t.Object({}, { additionalProperties: true }),
    status: 202,
    reply: Answer,
    handle: async ({ upload, headers, client }, services) => {
      const reader = sourceReaders[host]
      const raw = await signedBytes(upload!, host, services)
      checkHeaders(reader, headers)
      const { delivery, event } = read(reader, headers, raw)
      const done: WebhookResult = await takeEvent(event, reader.host, delivery, client, services)
      return reply({ ...delivery, ...done }, {})
    },
  })

const hmac = 'sha256= followed by the hex HMAC-SHA256 of the body'

export const webhooks: readonly Route[] = [
  webhook(
    'github',
    'GitHub',
    'Either header can name the event and the delivery. Handles pushes, pull requests and installations; ignores everything else.',
    {
      'X-Hub-Signature-256': hmac,
      'X-Source-Event': 'event name',
      'X-GitHub-Event': "event name, in the host's own header",
      'X-Source-Delivery': 'delivery ID',
      'X-GitHub-Delivery': "delivery ID, in the host's own header",
    },
  ),
  webhook('gitlab', 'GitLab', 'Signed in webhook-signature, or with the secret in X-Gitlab-Token. Handles pushes.', {
    'webhook-signature': 'v1 and the base64 HMAC-SHA256 of ID, timestamp and body; several separated by spaces',
    'webhook-timestamp': 'Unix seconds, at most five minutes from now',
    'webhook-id': 'delivery ID; signed',
    'X-Gitlab-Token': 'the secret, if there is no signature',
    'X-Gitlab-Event': 'event name',
    'Idempotency-Key': 'delivery ID, if there is no webhook-id',
    'X-Gitlab-Event-UUID': 'delivery ID, if there is neither of the others',
  }),
  webhook('bitbucket', 'Bitbucket', 'Handles pushes.', {
    'X-Hub-Signature': hmac,
    'X-Event-Key': 'event name',
    'X-Request-UUID': 'delivery ID',
  }),
  webhook('azureDevops', 'Azure DevOps', 'Handles pushes.', {
    Authorization: 'Basic, with any user and the secret as the password',
  }),
]
