import { expect } from 'chai'
import { LineStore } from '#actors/billing/line-store.ts'
import { linePorts } from '#config/wiring/line-ports.ts'
import type { Fault } from '#engine/value/fault.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import { tenant } from '#test/harness/product.ts'
import { bytes, csv } from '#test/streams/billing/reading.ts'

describe('lines of an export that are stored by the block', () => {
  it('are none of an organization that is closed, so that its deletion finds everything', async () => {
    const org = await tenant()
    const { orgId, connections } = org
    const row = { ProviderName: 'AWS', BillingCurrency: 'USD', BilledCost: '1.5', ChargePeriodStart: '2026-01-05' }
    const bill = { id: 'e-1', at: '2026-01-10T00:00:00.000Z', orgId, cloudAccountId: 'a', hiddenUntilEnd: true }
    const announced: unknown[] = []
    const store = async () => {
      const lines = new LineStore(
        linePorts(connections, orgId, async ({ data }) => void announced.push(data)),
        bill,
      )
      const options = { format: 'auto', accountId: 'a', rates: {}, exportedAt: new Date(bill.at) } as const
      const opened = await openBillingFile(bytes(csv(row, row)), { ...options, ids: new LineIds() })
      await opened.into({
        begin: (own) => lines.begin(own),
        takeSame: (template, own) => lines.takeSame(template, own),
        take: (reading) => void ('refused' in reading || lines.take(reading)),
        pause: () => lines.pause(),
      })
      await lines.flush()
    }
    const stored = async () =>
      Number((await org.facts('SELECT count() AS n FROM bill_line FINAL WHERE x_OrgId = {org:String}'))[0].n)
    await store()
    expect([await stored(), announced.length]).to.deep.equal([2, 1])
    await store()
    expect([await stored(), announced.length]).to.deep.equal([2, 2])
    const closing = `insert into closed_organization (org_id, closed_by, closed_at, delete_at) values ($1, 'p', now(), now())`
    await connections.store.rows(closing, [orgId])
    const refused = await store().catch((error: unknown) => error as Fault)
    await connections.store.rows('delete from closed_organization where org_id = $1', [orgId])
    expect((refused as Fault).code).to.equal('organization_closed')
    expect([await stored(), announced.length]).to.deep.equal([2, 2])
  })
})
