import { expect } from 'chai'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { matching } from '#http/recommendation/rule.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const rule = (id: string, provider: Rule['provider'], category: Rule['category'], name: string) =>
  ({ id, provider, category, name }) as Rule

const some = [
  rule('RC-1001', 'aws', 'idle', 'Stop idle EC2 instances'),
  rule('RC-2301', 'gcp', 'orphan', 'Delete unattached disks'),
  rule('RC-ASC-001', 'any', 'rightsizing', 'Lower autoscaler minimums'),
]

describe('the catalogue of rules', () => {
  it('is narrowed by provider, category and text', () => {
    const ids = (asked: Parameters<typeof matching>[1]) => matching(some, asked).map(({ id }) => id)
    expect(ids({})).to.deep.equal(['RC-1001', 'RC-2301', 'RC-ASC-001'])
    expect(ids({ provider: ['aws', 'any'] })).to.deep.equal(['RC-1001', 'RC-ASC-001'])
    expect(ids({ category: ['orphan'] })).to.deep.equal(['RC-2301'])
    expect(ids({ search: 'DISKS' })).to.deep.equal(['RC-2301'])
    expect(ids({ search: 'rc-1' })).to.deep.equal(['RC-1001'])
    expect(ids({ provider: ['aws'], category: ['orphan'] })).to.deep.equal([])
  })

  describe('as it is served', () => {
    let org: Tenant
    before(async () => void (org = await tenant()))

    it('is a page with the counts of all rules, whatever the filters are [REC-54]', async () => {
      const { data } = (await org.get('/recommendations/rule-catalog?size=1&search=nothing+is+called+so')).body
      const { counts, ...page } = data
      expect(page).to.deep.equal({ items: [], total: 0, page: 1, limit: 1, hasMore: false })
      expect(Object.keys(counts)).to.deep.equal(['aws', 'gcp', 'azure', 'any', 'total'])
      expect(counts.aws + counts.gcp + counts.azure + counts.any).to.equal(counts.total)
      for (const query of ['provider=other', 'category=cost', 'size=0'])
        expect((await org.get(`/recommendations/rule-catalog?${query}`)).status, query).to.equal(400)
    })
  })
})
