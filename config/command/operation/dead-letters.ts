import { randomUUID } from 'node:crypto'
import { UsageError, type Command, type Invocation } from '#config/command/line/command.ts'
import { organizationFilter } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import { withInstance, type Instance } from '#config/product/instance.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { letterId, letterPurpose } from '#http/dead-letter/name.ts'

interface Row {
  id: string
  at: Date
  org_id: string
  type: string
  subject: string
  message_id: string
  actor: string
  code: string
  reason: string
  attempts: number
  replayed_at: Date | null
  body: Buffer
}

const filters = {
  org: { type: 'string' },
  code: { type: 'string' },
  id: { type: 'string' },
  limit: { type: 'string' },
} as const
const about = {
  '--org ORG': 'Only for this organization (name or ID)',
  '--code CODE': 'Only with this error code, for example validation_failed',
  '--id ID': 'Only this dead letter, by its ID here or in the API',
  '--limit N': 'Maximum number of rows, newest first, 1 to 1000; default 50',
}

async function find(instance: Instance, { values }: Invocation, onlyFresh: boolean): Promise<Row[]> {
  const { connections, product } = instance
  const limit = Number(values['limit'] ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new UsageError('--limit must be a whole number from 1 to 1000')
  const given = typeof values['id'] === 'string' ? values['id'] : undefined
  const named = given && letterId(given, product().get(tokens.identity).secretsFor(letterPurpose))
  const { rows } = await connections.store.pool.query(
    `select * from dead_letter
     where ($1::text is null or org_id = $1) and ($2::text is null or code = $2) and ($3::text is null or id = $3)
       and (not $4 or replayed_at is null)
     order by at desc, id limit $5`,
    [
      (await organizationFilter(instance, values['org'])) ?? null,
      values['code'] ?? null,
      named ?? given ?? null,
      onlyFresh,
      limit,
    ],
  )
  return rows
}

const toDeadLetterView = ({ body, ...row }: Row) => ({ ...row, body: body.toString('utf8').slice(0, 2000) })

export const deadLettersList: Command = {
  name: 'dead-letters list',
  summary: 'List dead letters: messages that were rejected, with the reason',
  usage: 'tidemark dead-letters list [--org ORG] [--code CODE] [--id ID] [--limit N]',
  options: filters,
  about,
  run: (invocation) =>
    withInstance(async (instance) => {
      const rows = await find(instance, invocation, false)
      const lines = rows.map((r) => [
        r.at.toISOString(),
        r.id,
        r.code,
        r.type || r.subject,
        r.replayed_at ? 'yes' : 'no',
        r.reason,
      ])
      const header = ['TIME', 'ID', 'CODE', 'TYPE', 'REPLAYED', 'REASON']
      return { data: rows.map(toDeadLetterView), text: table(header, lines, 'No dead letters.') }
    }),
}

/** Sends them again on the subject they came by, under a new message id for the broker; the rows stay and say when. */
export const deadLettersReplay: Command = {
  name: 'dead-letters replay',
  summary: 'Replay dead letters',
  usage: 'tidemark dead-letters replay [--org ORG] [--code CODE] [--id ID] [--limit N]',
  options: filters,
  about,
  run: (invocation) =>
    withInstance(async (instance) => {
      const { store, log } = instance.connections
      const rows = await find(instance, invocation, true)
      const { id } = invocation.values
      if (typeof id === 'string' && rows.length === 0)
        throw new Error(`Dead letter ${id} was not found, or was already replayed.`)
      for (const row of rows.toReversed()) {
        await log.publish({
          subject: row.subject,
          id: `replay-${row.id}-${randomUUID()}`,
          body: row.body.toString('utf8'),
        })
        await store.pool.query('update dead_letter set replayed_at = now() where id = $1', [row.id])
      }
      return { data: { replayed: rows.length, ids: rows.map((row) => row.id) }, text: `Replayed ${rows.length}.` }
    }),
}
