/** What somebody would write without actors: a table of jobs in the same PostgreSQL, workers that claim a row, and one more statement when it is done. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** Claims at a time, and clients that insert at a time. */
const workers = 8

const tableSql = `
  create table bench_job (
    n bigserial primary key, id uuid not null, org_id text not null, status text not null, plan jsonb not null,
    updated_at timestamptz not null default now());
  create index bench_job_status on bench_job (status, n);`
const insertSql = `insert into bench_job (id, org_id, status, plan) values ($1, 'bench', 'pending', $2)`
const claimSql = `
  update bench_job set status = 'running', updated_at = now()
  where n = (select n from bench_job where status = 'pending' order by n limit 1 for update skip locked) returning n, id`
const doneSql = `update bench_job set status = $2, updated_at = now() where n = $1`

interface Claimed {
  n: string
  id: string
}

export class JobQueue {
  private readonly pool: pg.Pool
  private readonly url: string
  private readonly plan: string

  private constructor(url: string, plan: string) {
    this.url = url
    this.plan = plan
    this.pool = new pg.Pool({ connectionString: url, max: workers * 2 })
  }

  /** `plan` is what each row carries. */
  static async open(url: string, plan: string): Promise<JobQueue> {
    const queue = new JobQueue(url, plan)
    await queue.pool.query(tableSql)
    return queue
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  /** Inserts so many, as fast as they go, while workers claim them and say that they wait. Seconds until all do. */
  async run(count: number): Promise<number> {
    const began = performance.now()
    let left = count
    const insert = async (): Promise<void> => {
      while (left-- > 0) await this.pool.query(insertSql, [randomUUID(), this.plan])
    }
    let done = 0
    const work = async (): Promise<void> => {
      while (done < count) if (await this.one('awaiting_user')) done += 1
    }
    await Promise.all([...Array.from({ length: workers }, insert), ...Array.from({ length: workers }, work)])
    return (performance.now() - began) / 1000
  }

  private async one(status: string, called?: (id: string) => void): Promise<boolean> {
    const { rows } = await this.pool.query<Claimed>(claimSql)
    const [row] = rows
    if (!row) return false
    called?.(row.id)
    await this.pool.query(doneSql, [row.n, status])
    return true
  }

  /** One row every `1000 / rate` milliseconds, told to workers that listen: milliseconds from asking for the insert to the call of each. */
  async steady(rate: number, count: number): Promise<number[]> {
    const asked = new Map<string, number>()
    const took: number[] = []
    const listener = new pg.Client({ connectionString: this.url })
    await listener.connect()
    listener.on('notification', () => {
      void this.one('called', (id) => took.push(performance.now() - asked.get(id)!))
    })
    await listener.query('listen bench_job')
    const began = performance.now()
    for (let i = 0; i < count; i++) {
      const id = randomUUID()
      asked.set(id, performance.now())
      const told = this.pool.query(
        `with made as (${insertSql} returning id) select pg_notify('bench_job', '') from made`,
        [id, this.plan],
      )
      told.catch(() => {})
      await new Promise((done) => setTimeout(done, began + ((i + 1) * 1000) / rate - performance.now()))
    }
    while (took.length < count) await new Promise((done) => setTimeout(done, 20))
    await listener.end()
    return took
  }
}
