import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Resource } from '#actors/resource/entity.ts'
import { stateHistory } from '#analytics/action/questions.ts'
import { run } from '#analytics/store/query.ts'
import { shownAction } from '#http/action/action.ts'
import { shownHistory } from '#http/action/history.ts'
import { actionWanted, type PowerAction } from '#streams/action/messages.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Result,
} from '#config/command/line/command.ts'
import { askerOf, countOf, ofOrganization, recordDone, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'

const listUsage = 'tidemark action list --org ORG [--resource UID] [--limit N]'
const showUsage = 'tidemark action show --org ORG --id ID'
const org = { org: { type: 'string' } } as const

/** How often one that is waited for is looked at, milliseconds. */
const pollMs = 250
const reasonMax = 500

type ActionView = Awaited<ReturnType<typeof shownAction>>

const lineOf = ({ id, action, resourceUID, status, errorMessage }: ActionView): string =>
  `${id}  ${status}  ${action} ${resourceUID}${errorMessage === undefined ? '' : `  ${errorMessage}`}`

const resultOf = (data: ActionView): Result => ({ data, text: lineOf(data), code: data.status === 'failed' ? 1 : 0 })

/** The account that has the resource. @throws Error where none has it, or several have and none of them is named */
async function accountOf(em: EntityManager, orgId: string, uid: string, given: unknown): Promise<string> {
  const where = { orgId, uid, deletedAt: null, ...(typeof given === 'string' && { cloudAccountId: given }) }
  const found = await em.find(Resource, where, { orderBy: { cloudAccountId: 'asc' } })
  const [first, ...others] = found.map(({ cloudAccountId }) => cloudAccountId)
  if (first === undefined)
    throw new Error(
      `Resource ${uid} was not found${where.cloudAccountId ? ` in account ${where.cloudAccountId}` : ''}.`,
    )
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

function powerCommand(action: PowerAction): Command {
  const usage = `tidemark action ${action} --org ORG --resource UID [--account ID] [--reason TEXT] [--wait]`
  return {
    name: `action ${action}`,
    summary: `${action === 'start' ? 'Start' : 'Stop'} a resource`,
    usage,
    options: {
      ...org,
      resource: { type: 'string' },
      account: { type: 'string' },
      reason: { type: 'string' },
      wait: { type: 'boolean' },
    },
    about: {
      ...aboutOrg,
      '--resource UID': 'Resource UID, as shown in the inventory',
      '--account ID': 'Account ID; required if several accounts contain the resource',
      '--reason TEXT': `Reason, up to ${reasonMax} characters`,
      '--wait': 'Wait for the action to finish; exit code 1 if it failed',
    },
    run: async ({ values }) => {
      const named = requireOrg({ usage }, values['org'])
      const resourceUid = requireValue({ usage }, values['resource'], '--resource')
      const reason = typeof values['reason'] === 'string' ? values['reason'] : null
      if (reason !== null && reason.length > reasonMax)
        throw new UsageError(`--reason must have at most ${reasonMax} characters`)
      return withOrganization(named, async (instance, orgId) => {
        const em = await ofOrganization(instance, orgId)
        const asker = askerOf(instance)
        const cloudAccountId = await accountOf(em, orgId, resourceUid, values['account'])
        const actionId = randomUUID()
        const source = { type: 'manual', id: 'operator' } as const
        await asker.ask(actionWanted, orgId, { actionId, cloudAccountId, resourceUid, action, reason, source })
        const detail = { actionID: actionId, action, resourceUID: resourceUid, cloudAccountID: cloudAccountId }
        await recordDone(instance, { type: 'action_submitted', orgId, detail })
        if (values['wait'] === true) return resultOf(await waitForEnd(instance, orgId, actionId))
        return resultOf(await shownAction(em, orgId, actionId))
      })
    },
  }
}

const actionShow: Command = {
  name: 'action show',
  summary: 'Show the status of an action',
  usage: showUsage,
  options: { ...org, id: { type: 'string' } },
  about: { ...aboutOrg, '--id ID': 'Action ID' },
  run: async ({ values }) => {
    const named = requireOrg({ usage: showUsage }, values['org'])
    const id = requireValue({ usage: showUsage }, values['id'], '--id')
    return withOrganization(named, async (instance, orgId) => {
      const data = await shownAction(await ofOrganization(instance, orgId), orgId, id)
      return { data, text: lineOf(data) }
    })
  },
}

const actionList: Command = {
  name: 'action list',
  summary: 'List start and stop actions, newest first',
  usage: listUsage,
  options: { ...org, resource: { type: 'string' }, limit: { type: 'string' } },
  about: {
    ...aboutOrg,
    '--resource UID': 'Only for this resource',
    '--limit N': 'Maximum number of rows, 1 to 1000; default 20',
  },
  run: async ({ values }) => {
    const named = requireOrg({ usage: listUsage }, values['org'])
    const limit = countOf(values['limit'] ?? '20', 1000)
    if (limit === undefined) throw new UsageError('--limit must be a whole number from 1 to 1000')
    const uids = typeof values['resource'] === 'string' ? [values['resource']] : []
    return withOrganization(named, async (instance, orgId) => {
      const asked = { org: orgId, uids, types: [], limit, offset: 0 }
      const data = (await run(instance.connections.clickhouse, stateHistory, asked)).map(shownHistory)
      const lines = data.map((one) => [
        one.changedAt,
        one.id,
        one.state,
        one.resourceUid,
        one.changedBy,
        one.errorMessage,
      ])
      return { data, text: table(['TIME', 'ID', 'STATE', 'RESOURCE', 'BY', 'ERROR'], lines, 'No actions.') }
    })
  },
}

export const actionCommands: readonly Command[] = [powerCommand('start'), powerCommand('stop'), actionShow, actionList]
