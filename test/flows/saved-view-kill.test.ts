/** Saved views that are mailed while engines are killed: as mails are taken, and while they are made. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { jobRequested } from '#streams/job.ts'
import { chaosWorld, lanesRun, type ChaosWorld } from '#test/harness/chaos.ts'
import { amount } from '#test/harness/tier.ts'

const organizations = 8
const recipients = 3
/** When each round kills both engines: as so many mails of it were taken, before or after the last is answered, or so many milliseconds in. */
const allRounds = [
  { taken: 5, isAnswered: false },
  { taken: 11, isAnswered: true },
  { afterMs: 60 },
  { afterMs: 250 },
] as const
const rounds = allRounds.filter((_, n) => n % amount(2, 2, 1) === 0)

describe('mailing saved views under kills', () => {
  let world: ChaosWorld
  let server: SMTPServer
  /** Message ids by receiver, in their order. */
  const taken: { to: string; id: string }[] = []
  let onTaken: (done: () => void) => void = (done) => done()

  before(async function () {
    this.timeout(120_000)
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, { envelope }, done) => {
        let text = ''
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
        stream.on('end', () => {
          const id = /^Message-ID: (.*)$/im.exec(text.replaceAll(/\r\n[ \t]+/g, ' '))![1]!.trim()
          taken.push({ to: envelope.rcptTo[0]!.address, id })
          onTaken(() => done())
        })
      },
    })
    server.on('error', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    world = await chaosWorld(2, {
      CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
      SMTP_URL: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    })
  })
  after(async () => {
    await world?.close()
    server?.close()
  })

  const strike = () => {
    for (const _ of [1, 2]) world.engines.kill(0)
  }

  /** Organizations with a view and a schedule each; their ids. */
  async function planted(): Promise<string[]> {
    const ids = Array.from({ length: organizations }, () => randomUUID())
    for (const [n, orgId] of ids.entries()) {
      const userId = randomUUID()
      const to = Array.from({ length: recipients }, (_, i) => ({ email: `r${n}-${i}@example.com`, isOutside: true }))
      const run = (sql: string, values: unknown[]) => world.pool.query(sql, values)
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
    return ids
  }

  it(`makes one mail of each due moment for each recipient, and of one that was taken twice it is the same by its Message-ID: ${rounds.length} kills of two engines`, async function () {
    this.timeout(400_000)
    await migrated()
    const ids = await planted()
    for (const [n, round] of rounds.entries()) {
      await lanesRun(world)
      const dueAt = new Date(Date.parse('2026-03-02T08:00:00Z') + n * 60_000).toISOString()
      await world.pool.query('update report_schedule set next_due_at = $1', [dueAt])
      const before = taken.length
      let isStruck = false
      const once = () => {
        isStruck = true
        strike()
      }
      onTaken = (done) => {
        const isTime = 'taken' in round && !isStruck && taken.length - before >= round.taken
        if (isTime && !round.isAnswered) once()
        done()
        if (isTime && round.isAnswered) once()
      }
      for (const orgId of ids) {
        const data = { job: 'report-mailing' as const, runId: `round-${n}` }
        await world.publisher.publish({ subject: jobRequested, orgId, data, id: `${orgId}/${n}` })
      }
      if ('afterMs' in round) setTimeout(once, round.afterMs)
      await ended(dueAt)
      expect(isStruck, `round ${n}`).to.equal(true)
    }
    const byMail = Map.groupBy(taken, ({ id }) => id)
    const of = Map.groupBy(byMail.values(), ([{ to }]: any) => to as string)
    expect([...of.values()].map((mails) => mails.length)).to.deep.equal(
      Array.from({ length: organizations * recipients }, () => rounds.length),
    )
    expect([...byMail.values()].filter((mails) => new Set(mails.map(({ to }) => to)).size > 1)).to.deep.equal([])
    const { rows } = await world.pool.query('select last, next_due_at > now() as later from report_schedule')
    expect(rows.map(({ later }) => later)).to.deep.equal(ids.map(() => true))
    const states = rows.flatMap(({ last }) => last.mails.map(({ state }: { state: string }) => state))
    expect(states).to.deep.equal(Array.from({ length: organizations * recipients }, () => 'sent'))
    expect(world.engines.unaskedEnds).to.deep.equal([])
  })

  /** The first engine to run makes the tables. */
  async function migrated(): Promise<void> {
    const sql = `select to_regclass('report_schedule') is not null as there`
    while (!(await world.pool.query<{ there: boolean }>(sql)).rows[0]!.there)
      await new Promise((resolve) => setTimeout(resolve, 100))
  }

  /** Resolves once all schedules have had this due moment and nothing waits to be sent. */
  async function ended(dueAt: string): Promise<void> {
    const end = performance.now() + 90_000
    const sql = `select (select count(*) from report_schedule where last ->> 'dueAt' is distinct from $1)::int as behind,
      (select count(*) from effect)::int as waiting`
    for (;;) {
      const { rows } = await world.pool.query<{ behind: number; waiting: number }>(sql, [dueAt])
      if (rows[0]!.behind === 0 && rows[0]!.waiting === 0) return
      if (performance.now() > end) throw new Error(`${JSON.stringify(rows[0])}: ${world.engines.tail}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
})
