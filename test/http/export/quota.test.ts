/** What exported files may take: counted in PostgreSQL, for all processes and over all organizations. */
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { keepExport } from '#actors/export/change.ts'
import type { Exports } from '#actors/export/folder.ts'
import { beginExport, dropExport, growExport, type ExportLimits } from '#actors/export/quota.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { answerOf, tenant, testProduct, type Tenant } from '#test/harness/product.ts'
import { january, three } from '#test/http/export/bills.ts'

const MiB = 1024 ** 2
/** Files of other tests have ended by then. */
const noon = Date.parse('2040-03-01T12:00:00Z')

describe('room for exports', () => {
  let em: () => Parameters<typeof beginExport>[0]
  let limits: { -readonly [K in keyof ExportLimits]: ExportLimits[K] }
  let orgs: string[] = []
  const organization = () => (orgs.push(randomUUID()), orgs.at(-1)!)
  before(async () => {
    const { connections } = await testProduct()
    em = () => connections.orm.em.fork()
  })
  beforeEach(() => {
    limits = { atOnce: 3, perHour: 20, bytes: 40 * MiB, diskBytes: async () => 1000 * MiB }
  })
  afterEach(async () => {
    for (const orgId of orgs) await em().execute('delete from export_file where org_id = ?', [orgId])
    orgs = []
  })

  type Begun = { orgId: string; id: string; userId: string }
  const begin = async (orgId: string, userId: string, at = noon): Promise<Begun> => {
    const begun = { orgId, userId, id: randomUUID() }
    await beginExport(em(), limits, { ...begun, name: 'costs.csv', format: 'csv' }, new Date(at))
    return begun
  }
  const grow = (file: Begun, taken: number, needed: number) =>
    growExport(em(), limits, file, { taken, needed, now: new Date(noon) })
  const end = async ({ orgId, id }: Begun, bytes: number, at = noon) => {
    const own = em()
    await keepExport({ em: own, orgId } as never, { id, rows: 1, bytes, createdAt: new Date(at) })
  }
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'taken',
      ({ code, detail }: Fault) => [code, detail['retryAfter'], detail['members']],
    )
  const tooMany = (quota: string, of: string, limit: number, seconds: number) => [
    'too_many_exports',
    seconds,
    { quota, of, limit },
  ]

  it('is for three at once of a person, whatever the organization, and of an organization, whoever asks [G-125]', async () => {
    const [eve, ben, own, other] = [randomUUID(), randomUUID(), organization(), organization()]
    const files = [await begin(own, eve), await begin(own, eve), await begin(other, eve)]
    expect(await refusal(begin(organization(), eve))).to.deep.equal(tooMany('exports_at_once', 'person', 3, 5))
    await begin(own, ben)
    expect(await refusal(begin(own, randomUUID()))).to.deep.equal(tooMany('exports_at_once', 'organization', 3, 5))
    await end(files[2]!, 1)
    await end(files[0]!, 1)
    expect(await refusal(begin(own, eve))).to.equal('taken')
    expect(await refusal(begin(own, ''))).to.deep.equal(tooMany('exports_at_once', 'organization', 3, 5))
    expect(await refusal(begin(other, ''))).to.equal('taken')
  })

  it('is for twenty an hour, those included that failed or are gone, but for those asked for wrongly [G-125]', async () => {
    const [eve, own] = [randomUUID(), organization()]
    for (let nth = 0; nth < 20; nth++) {
      const file = await begin(nth % 2 === 0 ? own : organization(), eve, noon + nth * 60_000)
      if (nth === 7) await dropExport(em(), file, true)
      else if (nth % 3 === 0) await dropExport(em(), file, false)
      else await end(file, 1000, noon + nth * 60_000)
    }
    await dropExport(em(), await begin(own, eve, noon + 20 * 60_000), false)
    // The first of the hour was asked for at noon: 25 minutes later 35 are left.
    const late = () => refusal(begin(organization(), eve, noon + 25 * 60_000))
    expect(await late()).to.deep.equal(tooMany('exports_per_hour', 'person', 20, 35 * 60))
    expect(await refusal(begin(own, randomUUID(), noon + 25 * 60_000))).to.equal('taken')
    expect(await refusal(begin(organization(), eve, noon + 60 * 60_000))).to.equal('taken')
  })

  it('counts a file that is asked for again under its id once [G-09] [G-125]', async () => {
    limits.atOnce = 1
    const file = await begin(organization(), randomUUID())
    const again = { ...file, name: 'costs.csv', format: 'csv' as const }
    await beginExport(em(), limits, again, new Date(noon))
    const rows = await em().execute('select status from export_file where org_id = ?', [file.orgId])
    expect(rows).to.deep.equal([{ status: 'writing' }])
  })

  it('is given in portions of 16 MiB up to what is left; a file that needs more is refused, and says when there is room [G-125]', async () => {
    const [eve, own] = [randomUUID(), organization()]
    const first = await begin(own, eve, noon - 3_600_000)
    await end(first, 10 * MiB, noon - 3_600_000)
    const file = await begin(own, eve)
    expect(await grow(file, 0, 1000)).to.deep.equal({ bytes: 16 * MiB, gone: [] })
    expect(await grow(file, 16 * MiB, 17 * MiB)).to.deep.equal({ bytes: 30 * MiB, gone: [] })
    const members = { quota: 'export_bytes', of: 'organization', limit: 40 * MiB }
    const over = await refusal(grow(file, 30 * MiB, 30 * MiB + 1))
    expect(over).to.deep.equal(['export_quota_exceeded', 23 * 3600, { ...members, of: 'person' }])
    expect(await refusal(begin(own, randomUUID())), 'all is given').to.deep.equal([
      'export_quota_exceeded',
      23 * 3600,
      members,
    ])
    await dropExport(em(), file, false)
    expect(await refusal(begin(organization(), eve)), 'what failed takes nothing').to.equal('taken')
  })

  it('is never more than there is, however many files grow at once [G-125]', async () => {
    limits.atOnce = 0
    const [eve, own] = [randomUUID(), organization()]
    const files = await Promise.all(Array.from({ length: 8 }, () => begin(own, eve)))
    const given = await Promise.all(files.map((file) => grow(file, 0, MiB).catch(() => ({ bytes: 0 }))))
    expect(given.map(({ bytes }) => bytes / MiB).toSorted((a, b) => b - a)).to.deep.equal([16, 16, 8, 0, 0, 0, 0, 0])
  })

  it('is a share of the disk for all: the oldest files go first, of the organization that keeps the most [G-125]', async () => {
    limits.diskBytes = async () => 60 * MiB
    const [small, large] = [organization(), organization()]
    const made = async (orgId: string, mebibytes: number, hour: number) => {
      const file = await begin(orgId, '', noon - hour * 3_600_000)
      await end(file, mebibytes * MiB, noon - hour * 3_600_000)
      return file.id
    }
    const oldest = await made(small, 5, 9)
    const [second, first] = [await made(large, 12, 4), await made(large, 13, 5)]
    const newest = await made(large, 11, 1)
    const file = await begin(organization(), '')
    // 41 MiB of 60 are taken, and 57 with the first portion.
    expect(await grow(file, 0, 1)).to.deep.equal({ bytes: 16 * MiB, gone: [] })
    // 73 less 13.
    expect(await grow(file, 16 * MiB, 17 * MiB)).to.deep.equal({ bytes: 32 * MiB, gone: [first] })
    limits.bytes = 100 * MiB
    // 76 less 12 and 11.
    expect(await grow(file, 32 * MiB, 33 * MiB)).to.deep.equal({ bytes: 48 * MiB, gone: [second, newest] })
    // 69 less 5, which is all that is left: refused, and the 5 stay.
    expect(await refusal(grow(file, 48 * MiB, 64 * MiB))).to.deep.equal([
      'export_quota_exceeded',
      3600,
      { quota: 'export_disk' },
    ])
    const left = await em().execute('select id from export_file where org_id = ? and status = ?', [small, 'ready'])
    expect(left).to.deep.equal([{ id: oldest }])
  })

  describe('over the API', () => {
    let org: Tenant
    let kept: ExportLimits
    const exports = () => org.product.get(tokens.exports) as Exports & { limits: ExportLimits }
    before(async () => {
      org = await tenant()
      await org.publish(billingLine, three)
      kept = exports().limits
    })
    afterEach(() => void (exports().limits = kept))
    const make = (body: object = {}) =>
      org.send('POST', '/reports/export', { report: 'receipt', format: 'csv', ...january, ...body })

    it('refuses with 429, a code, the reason and when to come back, and removes the file that grew too large [G-125]', async () => {
      const first = await make()
      expect(first.status, JSON.stringify(first.body)).to.equal(201)
      const names = await readdir(exports().folder)
      const { bytes } = (
        await em().execute<{ bytes: number }[]>('select bytes::int from export_file where org_id = ?', [org.orgId])
      )[0]!
      // The second needs as much again.
      exports().limits = { ...kept, bytes: bytes * 2 - 1 }
      const { status, body, headers } = await make()
      expect([status, body.code, body.quota, body.of, body.limit]).to.deep.equal([
        429,
        'export_quota_exceeded',
        'export_bytes',
        'person',
        bytes * 2 - 1,
      ])
      expect(Number(headers.get('retry-after'))).to.be.within(86_000, 86_400)
      expect(body.detail).to.equal(
        `Your exported files would use more than ${bytes * 2 - 1} bytes. Narrow the report, or wait until the oldest files expire, one day after they were created.`,
      )
      expect(await readdir(exports().folder)).to.have.members(names)
      expect((await answerOf(await fetch(first.body.data.downloadURL))).status).to.equal(200)
      exports().limits = { ...kept, bytes: bytes * 2 }
      expect((await make()).status).to.equal(201)
    })

    it('counts what is asked for in an hour, but for what is wrong [G-125]', async () => {
      exports().limits = { ...kept, perHour: 4 }
      expect((await make({ dimensions: ['nothing'] })).status).to.equal(400)
      expect((await make()).status).to.equal(201)
      const { status, body } = await make()
      expect([status, body.code, body.quota]).to.deep.equal([429, 'too_many_exports', 'exports_per_hour'])
    })
  })
})
