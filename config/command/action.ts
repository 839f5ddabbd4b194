import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Resource } from '#actors/resource/entity.ts'
import { stateHistory } from '#analytics/action/questions.ts'
import { run } from '#analytics/store/query.ts'
import { shownAction } from '#http/action/action.ts'
import { shownHistory } from '#http/action/history.ts'
import { actionWanted, type PowerAction } from '#streams/action.ts'
import { required, UsageError, type Command, type Result } from '#config/command/command.ts'
import { askerOf, countOf, ofOrganization, recordDone } from '#config/command/engine.ts'
import { withInstance, type Instance } from '#config/instance.ts'

const listUsage = 'tidemark action list --org ID [--resource UID] [--limit N]'
const showUsage = 'tidemark action show --org ID --id ID'
const org = { org: { type: 'string' } } as const
const aboutOrg = { '--org ID': 'The organization' }

/** How often one that is waited for is looked at, milliseconds. */
const pollMs = 250
const reasonMax = 500

type Shown = Awaited<ReturnType<typeof shownAction>>

const lineOf = ({ id, action, resourceUID, status, errorMessage }: Shown): string =>
  `${id}  ${status}  ${action} ${resourceUID}${errorMessage === undefined ? '' : `  ${errorMessage}`}`

const resultOf = (data: Shown): Result => ({ data, text: lineOf(data), code: data.status === 'failed' ? 1 : 0 })

/** The account that has the resource. @throws Error where none has it, or several have and none of them is named */
async function accountOf(em: EntityManager, orgId: string, uid: string, given: unknown): Promise<string> {
  const where = { orgId, uid, deletedAt: null, ...(typeof given === 'string' && { cloudAccountId: given }) }
  const found = await em.find(Resource, where, { orderBy: { cloudAccountId: 'asc' } })
  const [first, ...others] = found.map(({ cloudAccountId }) => cloudAccountId)
  if (first === undefined)
    throw new Error(
      `There is no resource ${uid}${where.cloudAccountId ? ` in the account ${where.cloudAccountId}` : ''}.`,
    )
  if (others.length > 0)
    throw new Error(`Several accounts have ${uid}, say which by --account: ${[first, ...others].join(', ')}`)
  return first
}

async function ended({ connections }: Instance, orgId: string, id: string): Promise<Shown> {
  for (;;) {
    const shown = await shownAction(connections.orm.em.fork(), orgId, id)
    if (shown.status === 'succeeded' || shown.status === 'failed') return shown
    await sleep(pollMs)
  }
}

function powerCommand(action: PowerAction): Command {
  const usage = `tidemark action ${action} --org ID --resource UID [--account ID] [--reason TEXT] [--wait]`
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
      '--resource UID': 'As the inventory names it',
      '--account ID': 'Its account; needed where several have it',
      '--reason TEXT': `Why, ${reasonMax} characters at most`,
      '--wait': 'Return once it has ended; exit code 1 where it failed',
    },
    run: async ({ values }) => {
      const orgId = required({ usage }, values['org'], '--org')
      const resourceUid = required({ usage }, values['resource'], '--resource')
      const reason = typeof values['reason'] === 'string' ? values['reason'] : null
      if (reason !== null && reason.length > reasonMax)
        throw new UsageError(`--reason must have ${reasonMax} characters at most`)
      return withInstance(async (instance) => {
        const em = await ofOrganization(instance, orgId)
        const asker = askerOf(instance)
        const cloudAccountId = await accountOf(em, orgId, resourceUid, values['account'])
        const actionId = randomUUID()
        const source = { type: 'manual', id: 'operator' } as const
        await asker.ask(actionWanted, orgId, { actionId, cloudAccountId, resourceUid, action, reason, source })
        const detail = { actionID: actionId, action, resourceUID: resourceUid, cloudAccountID: cloudAccountId }
        await recordDone(instance, { type: 'action_submitted', orgId, detail })
        if (values['wait'] === true) return resultOf(await ended(instance, orgId, actionId))
        return resultOf(await shownAction(em, orgId, actionId))
      })
    },
  }
}

const actionShow: Command = {
  name: 'action show',
  summary: 'Say how far an action has come',
  usage: showUsage,
  options: { ...org, id: { type: 'string' } },
  about: { ...aboutOrg, '--id ID': 'Of the action' },
  run: async ({ values }) => {
    const orgId = required({ usage: showUsage }, values['org'], '--org')
    const id = required({ usage: showUsage }, values['id'], '--id')
    return withInstance(async (instance) => {
      const data = await shownAction(await ofOrganization(instance, orgId), orgId, id)
      return { data, text: lineOf(data) }
    })
  },
}

const actionList: Command = {
  name: 'action list',
  summary: 'List what started and stopped resources, or tried to, newest first',
  usage: listUsage,
  options: { ...org, resource: { type: 'string' }, limit: { type: 'string' } },
  about: {
    ...aboutOrg,
    '--resource UID': 'Of this resource alone',
    '--limit N': 'At most so many; default 20, most 1000',
  },
  run: async ({ values }) => {
    const orgId = required({ usage: listUsage }, values['org'], '--org')
    const limit = countOf(values['limit'] ?? '20', 1000)
    if (limit === undefined) throw new UsageError('--limit must be a whole number from 1 to 1000')
    const uids = typeof values['resource'] === 'string' ? [values['resource']] : []
    return withInstance(async (instance) => {
      await ofOrganization(instance, orgId)
      const asked = { org: orgId, uids, types: [], limit, offset: 0 }
      const data = (await run(instance.connections.clickhouse, stateHistory, asked)).map(shownHistory)
      const lines = data.map(
        ({ id, changedAt, state, resourceUid, changedBy, errorMessage }) =>
          `${changedAt}  ${id}  ${state}  ${resourceUid}  ${changedBy}${errorMessage === null ? '' : `  ${errorMessage}`}`,
      )
      return { data, text: lines.join('\n') || 'Nothing was started or stopped.' }
    })
  },
}

export const actionCommands: readonly Command[] = [powerCommand('start'), powerCommand('stop'), actionShow, actionList]
