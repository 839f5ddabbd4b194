import { randomUUID } from 'node:crypto'
import { storeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { organizationFilter } from '#config/command/line/engine.ts'
import { count, onlyOrg, optional, type FlagValues } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
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
  org: onlyOrg,
  code: optional('CODE', 'Only with this error code, for example validation_failed'),
  id: optional('ID', 'Only this dead letter, by its ID here or in the API'),
  limit: count('Maximum number of rows, newest first', 1000, 50),
}

async function find(
  instance: Instance,
  { org, code, id, limit }: FlagValues<typeof filters>,
  onlyFresh: boolean,
): Promise<Row[]> {
  const { connections, product } = instance
  const named = id && letterId(id, product().get(tokens.identity).secretsFor(letterPurpose))
  const { rows } = await connections.store.pool.query(
    `select * from dead_letter
     where ($1::text is null or org_id = $1) and ($2::text is null or code = $2) and ($3::text is null or id = $3)
       and (not $4 or replayed_at is null)
     order by at desc, id limit $5`,
    [(await organizationFilter(instance, org)) ?? null, code ?? null, named ?? id ?? null, onlyFresh, limit],
  )
  return rows
}

const toDeadLetterView = ({ body, ...row }: Row) => ({ ...row, body: body.toString('utf8').slice(0, 2000) })

const list = listOf<Row>(
  {
    TIME: ({ at }) => at.toISOString(),
    ID: 'id',
    CODE: 'code',
    TYPE: ({ type, subject }) => type || subject,
    REPLAYED: ({ replayed_at: replayedAt }) => (replayedAt ? 'yes' : 'no'),
    REASON: 'reason',
  },
  'No dead letters.',
)

export const deadLetterCommands: readonly Command[] = [
  storeCommand({
    name: 'dead-letters list',
    summary: 'List dead letters: messages that were rejected, with the reason',
    takes: filters,
    run: async (instance, given) => {
      const rows = await find(instance, given, false)
      return { data: rows.map(toDeadLetterView), text: list(rows).text }
    },
  }),
  /** Sends them again on the subject they came by, under a new message id for the broker; the rows stay and say when. */
  storeCommand({
    name: 'dead-letters replay',
    summary: 'Replay dead letters',
    takes: filters,
    run: async (instance, given) => {
      const { store, log } = instance.connections
      const rows = await find(instance, given, true)
      if (given.id !== undefined && rows.length === 0)
        throw new Error(`Dead letter ${given.id} was not found, or was already replayed.`)
      for (const { id, subject, body } of rows.toReversed()) {
        await log.publish({ subject, id: `replay-${id}-${randomUUID()}`, body: body.toString('utf8') })
        await store.pool.query('update dead_letter set replayed_at = now() where id = $1', [id])
      }
      return { data: { replayed: rows.length, ids: rows.map((row) => row.id) }, text: `Replayed ${rows.length}.` }
    },
  }),
]
