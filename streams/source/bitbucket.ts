/** Webhooks of Bitbucket, signed with HMAC-SHA256 of the body. Pushes are read; one may contain several branches. */
import { decoder, t } from '#engine/value/schema.ts'
import { anyIs, headerOf, nothing, readAs, type PushEvent, type SourceReader } from '#streams/source/event.ts'
import { hmacHeader, hmacShape } from '#streams/source/github.ts'
import { text } from '#streams/text.ts'

const Push = decoder(
  t.Object({
    push: t.Object({
      changes: t.Array(
        t.Object({
          /** Null: the branch was deleted. */
          new: t.Union([
            t.Object({
              type: text({ maxLength: 64 }),
              name: text({ minLength: 1, maxLength: 1024 }),
              target: t.Object({ hash: text({ pattern: '^[0-9a-f]{40,64}$' }) }),
            }),
            t.Null(),
          ]),
        }),
        { maxItems: 1000 },
      ),
    }),
    repository: t.Object({ links: t.Object({ html: t.Object({ href: text({ minLength: 1 }) }) }) }),
  }),
)

const eventHeaders = ['x-event-key'] as const
const deliveryHeaders = ['x-request-uuid'] as const

export const bitbucket: SourceReader = {
  host: 'bitbucket',
  isClaimed: (headers) => hmacShape.test(headerOf(headers, 'x-hub-signature') ?? ''),
  isSigned(headers, raw, secrets) {
    const given = headerOf(headers, 'x-hub-signature')
    return given !== undefined && hmacShape.test(given) && anyIs(secrets, given, (secret) => hmacHeader(secret, raw))
  },
  needed: [eventHeaders, deliveryHeaders],
  deliveryOf: (headers) => ({
    event: headerOf(headers, ...eventHeaders) ?? '',
    deliveryId: headerOf(headers, ...deliveryHeaders) ?? '',
  }),
  read(event, payload) {
    if (event !== 'repo:push') return nothing
    const { push, repository } = readAs(Push, payload)
    const byBranch = new Map<string, PushEvent>()
    for (const { new: now } of push.changes)
      if (now?.type === 'branch' && !byBranch.has(now.name))
        byBranch.set(now.name, {
          ref: `refs/heads/${now.name}`,
          branch: now.name,
          commitSha: now.target.hash,
          repositoryUrl: repository.links.html.href,
        })
    return byBranch.size === 0 ? nothing : { kind: 'push', pushes: [...byBranch.values()] }
  },
}
