import { expect } from 'chai'
import { noBills, type Bills, type OpenExport } from '#actors/account/bill/bills.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { moveOn } from '#actors/billing/upload.ts'
import type { BillUpload } from '#actors/billing/upload-entity.ts'
import type { Lanes } from '#actors/billing/upload-tools.ts'

const exportedAt = '2026-02-02T09:00:00.000Z'
const id = 'e-1'

/** One upload that was applied, and what is known of its end. */
class Applied {
  bills: Bills = noBills()
  row = {
    orgId: 'o1',
    id,
    cloudAccountId: 'a',
    exportedAt: new Date(exportedAt),
    state: 'applying',
    message: null,
    confirmed: false,
    periods: [{ period: '2026-01', from: '2026-01-01', to: '2026-01-31', lines: 2, billed: '70', effective: '70' }],
    lanes: [],
    generation: null,
    outcome: [],
    appliedAt: new Date(exportedAt),
  } as unknown as BillUpload
  isPublished = false
  cursor = 0
  reason: string | undefined
  isSummed: (since?: string) => boolean = () => true
  /** Before the lanes are looked at. */
  meanwhile = () => {}

  async look(): Promise<(string | null)[]> {
    const em = {
      nativeUpdate: async (_: unknown, where: object, change: object) => {
        expect(where).to.deep.equal({ orgId: 'o1', id, state: this.row.state })
        Object.assign(this.row, change)
      },
      findOne: async (entity: unknown) =>
        entity === CloudAccount ? { bills: structuredClone(this.bills), oldThrough: '' } : this.row,
    }
    const found = await moveOn(em as never, this.row, {
      hasRead: async (lanes: Lanes) => {
        this.meanwhile()
        return [...lanes.values()].every((seq) => seq <= this.cursor)
      },
      isSummed: async (_, since) => this.isSummed(since),
      generation: async () => '70',
      count: async () => [],
      endsAfter: async () => (this.isPublished ? new Map([[3, 40]]) : undefined),
      deadLettered: async () => this.reason,
    })
    return [found.state, found.message ?? null]
  }
  open(state: OpenExport['state'], confirmed = false): void {
    this.bills.open = [
      { id, at: exportedAt, periods: { '2026-01': 2 }, confirmed, state, counted: 1, since: exportedAt },
    ]
  }
  told(state: 'replaced' | 'incomplete'): void {
    this.bills.open = []
    this.bills.told = [{ id, at: exportedAt, state, periods: [], on: exportedAt }]
  }
}

describe('an upload that is applied', () => {
  const applying = ['applying', null]
  const forgotten =
    'The account has no record of this upload. It was disconnected, or its bills were removed, before the result was known.'
  let upload: Applied
  beforeEach(() => void (upload = new Applied()))
  /** Its end is published, and all that was written by then is read. */
  const readAll = async () => {
    upload.isPublished = true
    expect(await upload.look()).to.deep.equal(applying)
    upload.cursor = 40
  }

  it('waits for its end to be published, then for the lanes, then no more: it is broken by the reason there is', async () => {
    expect([await upload.look(), upload.row.lanes]).to.deep.equal([applying, []])
    upload.isPublished = true
    expect([await upload.look(), upload.row.lanes]).to.deep.equal([applying, [[3, 40]]])
    upload.cursor = 39
    expect(await upload.look()).to.deep.equal(applying)
    upload.cursor = 40
    upload.reason = 'The export already has another exportedAt.'
    const broken = ['broken', 'Applying it was dead-lettered: The export already has another exportedAt.']
    expect(await upload.look()).to.deep.equal(broken)
    expect(await upload.look()).to.deep.equal(broken)
    // Somebody replays the dead letter.
    upload.told('replaced')
    expect(await upload.look()).to.deep.equal(['replaced', null])
  })

  it('is broken where the account has forgotten it, and not where it is told of at the last moment', async () => {
    await readAll()
    upload.meanwhile = () => upload.told('incomplete')
    expect(await upload.look()).to.deep.equal(applying)
    expect(await upload.look()).to.deep.equal(['incomplete', null])
    upload = new Applied()
    await readAll()
    expect(await upload.look()).to.deep.equal(['broken', forgotten])
  })

  it('is discarded where an admin removed it long ago', async () => {
    const amount = { lines: 2, billed: '70', effective: '70' }
    upload.bills.removed = [{ id, at: exportedAt, period: '2026-01', amount, on: exportedAt, by: 'u' }]
    expect(await upload.look()).to.deep.equal(['discarded', null])
  })

  it('waits for lines as long as its account does', async () => {
    await readAll()
    upload.open('waiting')
    expect(await upload.look()).to.deep.equal(applying)
    upload.open('incomplete')
    expect(await upload.look()).to.deep.equal(['incomplete', null])
  })

  it('shows once its days are added up, or were after it was first seen to have replaced what stood', async () => {
    const asked: (string | undefined)[] = []
    let shows = false
    upload.isSummed = (since) => {
      asked.push(since)
      return shows
    }
    upload.told('replaced')
    for (let times = 0; times < 3; times++) expect(await upload.look()).to.deep.equal(applying)
    expect(upload.row.generation).to.equal('70')
    shows = true
    expect(await upload.look()).to.deep.equal(['replaced', null])
    expect(asked).to.deep.equal([undefined, '70', '70', '70'])
  })

  it('is held again where its confirmation was dead-lettered', async () => {
    upload.row.confirmed = true
    upload.open('held')
    await readAll()
    upload.reason = 'Nobody knows.'
    expect(await upload.look()).to.deep.equal(['held', 'Applying it was dead-lettered: Nobody knows.'])
    expect(upload.row.confirmed).to.equal(false)
    upload = new Applied()
    upload.row.confirmed = true
    upload.open('held', true)
    expect(await upload.look()).to.deep.equal(['held', null])
  })
})
