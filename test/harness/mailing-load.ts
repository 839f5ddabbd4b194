/** Saved views that fall due in many organizations at once, the mail server that takes them, and what must come of each due moment. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { jobRequested } from '#streams/job.ts'
import { until } from '#test/harness/action-load.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'

export interface MailServer {
  url: string
  /** Message ids by recipient, in the order they came. */
  taken: { to: string; id: string }[]
  /** Called when a mail has been read, before it is answered: `done` answers. */
  onTaken: (done: () => void) => void
  close(): void
}

export async function mailServer(): Promise<MailServer> {
  const made: Pick<MailServer, 'taken' | 'onTaken'> = { taken: [], onTaken: (done) => done() }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      stream.on('end', () => {
        const id = /^Message-ID: (.*)$/im.exec(text.replaceAll(/\r\n[ \t]+/g, ' '))![1]!.trim()
        made.taken.push({ to: envelope.rcptTo[0]!.address, id })
        made.onTaken(() => done())
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return Object.assign(made, { url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, close: () => server.close() })
}

export interface Mailing {
  orgIds: string[]
  recipients: number
}

/** Organizations with a view and a schedule each. The first engine to run makes the tables: they are waited for. */
export async function plantMailing(world: ChaosWorld, organizations: number, recipients: number): Promise<Mailing> {
  const tables = `select to_regclass('report_schedule') is not null as there`
  await until(world, async () => (await world.pool.query<{ there: boolean }>(tables)).rows[0]!.there)
  const orgIds = Array.from({ length: organizations }, () => randomUUID())
  const run = (sql: string, values: unknown[]) => world.pool.query(sql, values)
  for (const [n, orgId] of orgIds.entries()) {
    const userId = randomUUID()
    const to = Array.from({ length: recipients }, (_, i) => ({ email: `r${n}-${i}@example.com`, isOutside: true }))
    await run(`insert into organization values ($1, 'Killed', now())`, [orgId])
    await run(`insert into app_user values ($1, $2, 'Ana', null, now(), now(), now())`, [
      userId,
      `${userId}@example.com`,
    ])
    await run(`insert into member values ($1, $2, 'owner', 'active', now())`, [orgId, userId])
    await run(`insert into saved_view values ($1, 'v', $2, '', 'View', 'costs', '', now(), now())`, [orgId, userId])
    await run(
      `insert into report_schedule (org_id, id, view_id, owner_id, every, weekday, day, hour, timezone, recipients, unsubscribed, is_on, created_at, updated_at)
       values ($1, $2, 'v', $3, 'week', 1, 1, 8, 'UTC', $4, '[]', true, now(), now())`,
      [orgId, `s${n}`, userId, JSON.stringify(to)],
    )
  }
  return { orgIds, recipients }
}

/** Lets all schedules fall due at the moment of this number, and asks for the job that mails what is due. The moment. */
export async function fallDue(world: ChaosWorld, { orgIds }: Mailing, n: number): Promise<string> {
  const dueAt = new Date(Date.parse('2026-03-02T08:00:00Z') + n * 60_000).toISOString()
  await world.pool.query('update report_schedule set next_due_at = $1', [dueAt])
  for (const orgId of orgIds) {
    const data = { job: 'report-mailing' as const, runId: `round-${n}` }
    await world.publisher.publish({ subject: jobRequested, orgId, data, id: `${orgId}/${n}` })
  }
  return dueAt
}

/** Resolves once all schedules have had this due moment and no mail waits to be sent. */
export async function mailed(world: ChaosWorld, { orgIds }: Mailing, dueAt: string): Promise<void> {
  const sql = `select (select count(*) from report_schedule where last ->> 'dueAt' is distinct from $1)::int
    + (select count(*) from effect where org_id = any($2))::int as n`
  await until(world, async () => (await world.pool.query<{ n: number }>(sql, [dueAt, orgIds])).rows[0]!.n === 0)
}

/** What stands after so many due moments: mails by recipient, Message-IDs that went to two, later due moments, states. */
export async function mailingStands(world: ChaosWorld, { taken }: MailServer) {
  // The service mails others too, such as people whose approval is needed.
  const own = taken.filter(({ to }) => /^r\d+-\d+@/.test(to))
  const byMail = Map.groupBy(own, ({ id }) => id)
  const byRecipient = Map.groupBy(byMail.values(), ([first]) => first!.to)
  const { rows } = await world.pool.query('select last, next_due_at > now() as later from report_schedule')
  return {
    mails: [...byRecipient.values()].map((mails) => mails.length),
    shared: [...byMail.values()].filter((mails) => new Set(mails.map(({ to }) => to)).size > 1),
    later: rows.map(({ later }) => later as boolean),
    states: rows.flatMap(({ last }) => last.mails.map(({ state }: { state: string }) => state as string)),
  }
}

/** One mail of each due moment for each recipient; one that was taken twice has the same Message-ID. */
export function mailingWanted({ orgIds, recipients }: Mailing, moments: number) {
  const each = Array.from({ length: orgIds.length * recipients })
  return { mails: each.map(() => moments), shared: [], later: orgIds.map(() => true), states: each.map(() => 'sent') }
}
