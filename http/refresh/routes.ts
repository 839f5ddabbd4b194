import { allAccounts, type AccountSummary } from '#actors/account/queries.ts'
import { Refresh, refreshStatuses } from '#actors/refresh/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { actorReply } from '#http/edge/request/decode.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { isProvider, providers, providerStandIns, realName } from '#streams/names.ts'
import { refreshCancelled, refreshRequested } from '#streams/refresh.ts'
import { text } from '#streams/text.ts'

const Status = t.Object(
  {
    id: orNull(t.String()),
    status: t.Enum(refreshStatuses),
    discovered: t.Integer({ description: 'resources found so far' }),
    startedAt: orNull(Timestamp),
    completedAt: orNull(Timestamp),
  },
  {
    title: 'RefreshStatus',
    examples: [
      {
        id: '8a1f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
        status: 'running',
        discovered: 180,
        startedAt: '2026-01-15T10:00:00.000Z',
        completedAt: null,
      },
    ],
  },
)
type Status = Static<typeof Status>

const idle: Status = { id: null, status: 'idle', discovered: 0, startedAt: null, completedAt: null }

/** Milliseconds for which an ended refresh is shown; after that the status is idle. */
const keptMs = 60 * 60_000
const over = (at: Date | null | undefined, now: Date) => !!at && now.getTime() - at.getTime() >= keptMs

/** The refresh of an organization as shown at `now`: the newest that was not skipped (decision G-112). */
export function shownRefresh(r: Refresh | null, now: Date): Status {
  if (!r || r.refreshId === '' || r.status === 'idle' || over(r.completedAt, now)) return idle
  const { refreshId: id, status, discovered } = r
  return { id, status, discovered, startedAt: timestamp(r.startedAt), completedAt: timestamp(r.completedAt) }
}

/** The refresh with this id, which may be the newest skipped one. @throws Fault `missing` */
export function shownById(r: Refresh | null, id: string, now: Date): Status {
  const record = shownRefresh(r, now)
  if (record.id === id) return record
  if (!r || r.skippedId !== id || over(r.skippedAt, now)) throw Fault.missing('refresh', id)
  const at = timestamp(r.skippedAt)
  return { id, status: 'skipped', discovered: 0, startedAt: at, completedAt: at }
}

const current = (em: Services['em'], orgId: string): Promise<Refresh | null> =>
  em.findOne(Refresh, { orgId, key: 'current' }, { refresh: true })

const Target = t.Object(
  {
    cloudAccountID: t.Optional(text({ maxLength: 1024, description: 'only this account; default: all accounts' })),
    cloudAccountName: t.Optional(text({ description: 'only accounts with this name, if no ID is given' })),
    provider: t.Optional(
      t.Enum(['', ...providers, ...providerStandIns], { description: 'only accounts of this provider' }),
    ),
  },
  { examples: [{}, { provider: 'aws' }] },
)

/**
 * The accounts that a request names.
 * @throws Fault `missing` for unknown ones, `invalid` for a provider that is not theirs
 */
export function accountsWanted(accounts: readonly AccountSummary[], wanted: Static<typeof Target>) {
  const named = accounts.filter((account) => names(account, wanted))
  if (named.length === 0 && (wanted.cloudAccountID || wanted.cloudAccountName)) {
    throw Fault.missing('cloud account', wanted.cloudAccountID || wanted.cloudAccountName || '')
  }
  const provider = wanted.provider && realName(wanted.provider)
  const chosen = named.filter((account) => !provider || account.provider === provider)
  if (provider && chosen.length === 0) {
    throw badInput({
      in: 'body',
      name: '/provider',
      code: 'mismatch',
      message: `no matching account belongs to ${provider}`,
    })
  }
  if (wanted.cloudAccountID && chosen.some(({ status }) => status === 'disabled')) {
    throw Fault.conflict('invalid_transition', 'Disabled cloud accounts cannot be discovered.')
  }
  return chosen.flatMap(({ id, provider: name, status }) =>
    isProvider(name) && status !== 'disabled' ? [{ cloudAccountId: id, provider: name }] : [],
  )
}

function names({ id, name }: AccountSummary, { cloudAccountID, cloudAccountName }: Static<typeof Target>): boolean {
  if (cloudAccountID) return id === cloudAccountID
  return !cloudAccountName || name === cloudAccountName
}

const SubmitReply = t.Object({ refreshID: t.String(), status: t.Enum(refreshStatuses) })
const readReply = actorReply(SubmitReply)
const routeBase = { tags: ['Resources'] } as const

export const refreshes: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/resources/refresh',
    summary: 'Start discovery of one cloud account, or of all',
    description:
      'Responds immediately with an ID; discovery continues in the background. Without a target, discovers all enabled accounts. Accounts that are already being discovered are not started again: a request for only such accounts is skipped.',
    permission: 'space.update',
    status: 202,
    body: Target,
    reply: SubmitReply,
    example: { refreshID: '8a1f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01', status: 'queued' },
    refuses: { 404: ['not_found'], 409: ['invalid_transition'] },
    handle: async ({ caller, body }, { em, ask, newId }) => {
      const accounts = accountsWanted(await allAccounts(em, caller.orgId), body)
      return readReply(await ask(refreshRequested, { refreshId: newId(), accounts }))
    },
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/resources/refresh/status',
    summary: 'Get the progress of the latest discovery; idle if there was none in the last hour',
    description:
      'A request is skipped if all of its accounts are already being discovered: it does not replace the record of the running discovery and is only found by its own ID, for an hour or until another one is skipped.',
    permission: 'space.view',
    query: t.Object({
      refreshID: t.Optional(
        t.String({
          minLength: 1,
          maxLength: 64,
          description: 'the discovery with this ID, as returned by the request for it',
        }),
      ),
    }),
    reply: Status,
    refuses: { 404: ['not_found'] },
    handle: async ({ caller, query: { refreshID } }, { em, now }) => {
      const refresh = await current(em, caller.orgId)
      return refreshID === undefined ? shownRefresh(refresh, now()) : shownById(refresh, refreshID, now())
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/resources/refresh/cancel',
    summary: 'Stop the discovery after the current provider',
    description: 'Resources found until then are kept. Returns 409 if no discovery is running.',
    permission: 'space.update',
    status: 202,
    reply: Status,
    refuses: { 409: ['invalid_transition'] },
    handle: async ({ caller }, { em, ask, now }) => {
      await ask(refreshCancelled, {})
      return shownRefresh(await current(em, caller.orgId), now())
    },
  }),
]
