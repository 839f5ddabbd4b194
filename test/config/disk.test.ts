import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { readSettings } from '#config/settings/settings.ts'
import { Disks, isFull, isLow, toDiskText, watchDisks, type StoreDisk } from '#config/state/disk.ts'
import { until } from '#test/harness/toy.ts'

const mib = 1024 ** 2
const gib = 1024 ** 3
const disk = (freeBytes: number, totalBytes: number): StoreDisk => ({
  store: 'clickhouse',
  path: '/data/clickhouse',
  freeBytes,
  totalBytes,
})

describe('the disk of a store', () => {
  it('is low from 85% on, and full before a store can write nothing', () => {
    expect([disk(16 * gib, 100 * gib), disk(14 * gib, 100 * gib)].map(isLow)).to.deep.equal([false, true])
    // 1 % of 100 GiB; at most 1 GiB of 10 TiB; 64 MiB of 2 GiB, and never more than 5 %, which is 35 MiB of 700.
    const reserves: [bytes: number, total: number][] = [
      [gib, 100 * gib],
      [gib, 10_240 * gib],
      [64 * mib, 2 * gib],
      [35 * mib, 700 * mib],
    ]
    for (const [bytes, total] of reserves)
      expect([disk(bytes, total), disk(bytes - 1, total)].map(isFull), String(total)).to.deep.equal([false, true])
  })

  it('is named with its path and bytes', () => {
    expect(toDiskText(disk(20 * mib, 100 * gib))).to.equal('clickhouse at /data/clickhouse: 20 MiB of 100.0 GiB free')
  })

  describe('in a data folder', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-disk-'))
    after(() => rmSync(dataDir, { recursive: true }))
    const disks = new Disks({
      settings: readSettings({ TIDEMARK_DATA_DIR: dataDir, POSTGRES_URL: 'postgres://db.example/x' }),
      pool: { query: () => Promise.reject(new Error('away')) },
      shards: { all: [undefined as never] },
    })

    it('is read for embedded stores, stays known while it cannot be read, and is unknown of a server elsewhere', async () => {
      expect(await disks.read(), 'no folders yet').to.deep.equal([])
      for (const name of ['nats', 'clickhouse']) mkdirSync(path.join(dataDir, name))
      const known = await disks.read()
      expect(known.map((one) => [one.store, one.path])).to.deep.equal([
        ['nats', path.join(dataDir, 'nats')],
        ['clickhouse', path.join(dataDir, 'clickhouse')],
      ])
      rmSync(path.join(dataDir, 'nats'), { recursive: true })
      expect((await disks.read()).map(({ store }) => store)).to.deep.equal(['nats', 'clickhouse'])
    })

    it('refuses changes only while it is full, with the time to wait', () => {
      disks.known = [disk(10 * gib, 100 * gib)]
      expect(disks.refusal()).to.equal(undefined)
      disks.known = [disk(mib, 100 * gib)]
      expect(disks.refusal()).to.include({ kind: 'transient', code: 'storage_full' })
      expect(disks.refusal()!.detail).to.deep.equal({ retryAfter: 60 })
    })
  })

  it('is logged once when it becomes low, full, and free again, and once an hour while it is low', async () => {
    const told: string[] = []
    const note = (level: string) => (detail: object) => void told.push(`${level} ${(detail as StoreDisk).freeBytes}`)
    const report = { info: note('info'), warn: note('warn'), error: note('error') }
    let now = 0
    const steps: [free: number, at: number][] = [
      [50, 0],
      [14, 1],
      [13, 2],
      [12, 3_600_001],
      [0, 3_600_002],
      [60, 3_600_003],
    ]
    let reads = 0
    const seen = {
      read: async () => {
        const [free, at] = steps[Math.min(reads++, steps.length - 1)]!
        now = at
        return [disk(free, 100)]
      },
    }
    const events: string[] = []
    const tell = async (level: string, { freeBytes }: StoreDisk) => void events.push(`${level} ${freeBytes}`)
    const stop = watchDisks(seen as never, report, { now: () => now }, { tell, firstMs: 0, everyMs: 1 })
    await until('all steps', async () => reads >= steps.length + 1)
    stop()
    expect(told).to.deep.equal(['warn 14', 'warn 12', 'error 0', 'info 60'])
    expect(events).to.deep.equal(['low 14', 'low 12', 'full 0', 'free 60'])
  })
})
