import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Resource } from '#actors/resource/entity.ts'
import { stateHistory } from '#analytics/action/questions.ts'
import { run } from '#analytics/store/query.ts'
import { orgCommand } from '#config/command/line/build.ts'
import { UsageError, type Command, type Result } from '#config/command/line/command.ts'
import { askerOf, recordDone } from '#config/command/line/engine.ts'
import { limit, requiredText, optional, org, readAs, toggle } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { shownAction } from '#http/action/action.ts'
import { shownHistory } from '#http/action/history.ts'
import { actionWanted, type PowerAction } from '#streams/action/messages.ts'

/** How often one that is waited for is looked at, milliseconds. */
const pollMs = 250
const reasonMax = 500

type ActionView = Awaited<ReturnType<typeof shownAction>>

const lineOf = ({ id, action, resourceUID, status, errorMessage }: ActionView): string =>
  `${id}  ${status}  ${action} ${resourceUID}${errorMessage === undefined ? '' : `  ${errorMessage}`}`

const show = (data: ActionView): Result => ({ data, text: lineOf(data), code: data.status === 'failed' ? 1 : 0 })

const history = listOf<ReturnType<typeof shownHistory>>(
  {
    TIME: 'changedAt',
    ID: 'id',
    STATE: 'state',
    RESOURCE: 'resourceUid',
    BY: 'changedBy',
    ERROR: 'errorMessage',
  },
  'No actions.',
)

/** The account that has the resource. @throws Error where none has it, or several have and none of them is named */
async function accountOf(em: EntityManager, orgId: string, uid: string, account: string | undefined): Promise<string> {
  const where = { orgId, uid, deletedAt: null, ...(account !== undefined && { cloudAccountId: account }) }
  const found = await em.find(Resource, where, { orderBy: { cloudAccountId: 'asc' } })
  const [first, ...others] = found.map(({ cloudAccountId }) => cloudAccountId)
  if (first === undefined) throw new Error(`Resource ${uid} was not found${account ? ` in account ${account}` : ''}.`)
  if (others.length > 0)
    throw new Error(`Several accounts contain ${uid}. Choose one with --account: ${[first, ...others].join(', ')}`)
  return first
}

async function waitForEnd({ connections }: Instance, orgId: string, id: string): Promise<ActionView> {
  for (;;) {
    const shown = await shownAction(connections.orm.em.fork(), orgId, id)
    if (shown.status === 'succeeded' || shown.status === 'failed') return shown
    await sleep(pollMs)
  }
}

const reason = readAs(optional('TEXT', `Reason, up to ${reasonMax} characters`), (text, name) => {
  if (text !== undefined && text.length > reasonMax)
    throw new UsageError(`${name} must have at most ${reasonMax} characters`)
  return text ?? null
})

const powerCommand = (action: PowerAction, summary: string): Command =>
  orgCommand({
    name: `action ${action}`,
    summary,
    takes: {
      org,
      resource: requiredText('UID', 'Resource UID, as shown in the inventory'),
      account: optional('ID', 'Account ID; required if several accounts contain the resource'),
      reason,
      wait: toggle('Wait for the action to finish; exit code 1 if it failed'),
    },
    run: async (instance, orgId, { resource: resourceUid, account, reason, wait }) => {
      const em = instance.connections.orm.em.fork()
      const asker = askerOf(instance)
      const cloudAccountId = await accountOf(em, orgId, resourceUid, account)
      const actionId = randomUUID()
      const source = { type: 'manual', id: 'operator' } as const
      await asker.ask(actionWanted, orgId, { actionId, cloudAccountId, resourceUid, action, reason, source })
      const detail = { actionID: actionId, action, resourceUID: resourceUid, cloudAccountID: cloudAccountId }
      await recordDone(instance, { type: 'action_submitted', orgId, detail })
      return show(wait ? await waitForEnd(instance, orgId, actionId) : await shownAction(em, orgId, actionId))
    },
  })

export const actionCommands: readonly Command[] = [
  powerCommand('start', 'Start a resource'),
  powerCommand('stop', 'Stop a resource'),
  orgCommand({
    name: 'action show',
    summary: 'Show the status of an action',
    takes: { org, id: requiredText('ID', 'Action ID') },
    run: async ({ connections }, orgId, { id }) => {
      const data = await shownAction(connections.orm.em.fork(), orgId, id)
      return { data, text: lineOf(data) }
    },
  }),
  orgCommand({
    name: 'action list',
    summary: 'List start and stop actions, newest first',
    takes: { org, resource: optional('UID', 'Only for this resource'), limit: limit(1000) },
    run: async ({ connections }, org, { resource, limit }) => {
      const question = { org, uids: resource === undefined ? [] : [resource], types: [], limit, offset: 0 }
      return history((await run(await connections.shards.of(org), stateHistory, question)).map(shownHistory))
    },
  }),
]
