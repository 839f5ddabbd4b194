/**
 * Service hooks of Azure DevOps. They are authenticated by a password (basic authentication) and not signed. Pushes are
 * read.
 */
import { decoder, t } from '#engine/value/schema.ts'
import {
  branchOf,
  headerOf,
  isNoCommit,
  isSame,
  nothing,
  pushedAt,
  readAs,
  type Headers,
  type PushEvent,
  type SourceReader,
} from '#streams/source/event.ts'
import { text } from '#streams/text.ts'

const Notification = decoder(
  t.Object({ id: text({ minLength: 1, maxLength: 256 }), eventType: text({ minLength: 1, maxLength: 100 }) }),
)
const Push = decoder(
  t.Object({
    resource: t.Object({
      refUpdates: t.Array(
        t.Object({
          name: text({ minLength: 1, maxLength: 1100 }),
          newObjectId: text({ pattern: '^[0-9a-f]{40,64}$' }),
        }),
        { maxItems: 1000 },
      ),
      repository: t.Object({ remoteUrl: text({ minLength: 1 }) }),
      date: t.Optional(t.Unknown()),
    }),
  }),
)

/** The user name is ignored. */
function passwordOf(authorization = ''): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization)?.[1]
  const [, password] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s)
  return password
}

function isKnown(headers: Headers, secrets: readonly string[]): boolean {
  const given = passwordOf(headerOf(headers, 'authorization'))
  return given !== undefined && secrets.map((secret) => isSame(given, secret)).includes(true)
}

export const azureDevops: SourceReader = {
  host: 'azure-devops',
  isClaimed: isKnown,
  isSigned: (headers, _raw, secrets) => isKnown(headers, secrets),
  needed: [],
  deliveryOf(_headers, payload) {
    const { id, eventType } = readAs(Notification, payload)
    return { event: eventType, deliveryId: id }
  },
  read(event, payload) {
    if (event !== 'git.push') return nothing
    const { refUpdates, repository, date } = readAs(Push, payload).resource
    const byBranch = new Map<string, PushEvent>()
    for (const { name, newObjectId } of refUpdates) {
      const branch = branchOf(name)
      if (branch !== undefined && !isNoCommit(newObjectId) && !byBranch.has(branch))
        byBranch.set(branch, {
          ref: name,
          branch,
          commitSha: newObjectId,
          repositoryUrl: repository.remoteUrl,
          ...pushedAt(date),
        })
    }
    return byBranch.size === 0 ? nothing : { kind: 'push', pushes: [...byBranch.values()] }
  },
}
