import { expect } from 'chai'
import { testClickHouse } from '#test/harness/clickhouse.ts'
import { randomFilters } from '#test/http/report/random.ts'
import { amount } from '#test/harness/tier.ts'

const filters = amount(2, 12, 100)
const organizations = amount(1, 1, 10)
/** In `npm test` two kinds of reports for every second filter: the two filters meet all four. */
const kindsEach = amount(2, 1, 4)
const step = amount(2, 1, 1)

describe('the sums of all reports', () => {
  for (let n = 0; n < organizations; n++)
    it(`agree to the last decimal with each other and with the lines of bills, under random filters: organization ${n} [REP-10] [REP-17] [REP-23] [REP-29] [REP-31] [REP-33] [REP-37] [REP-39] [REP-40] [REP-43] [REP-44]`, async () => {
      const { checks, differences, met } = await randomFilters(
        await testClickHouse(),
        `organization ${n}`,
        filters,
        kindsEach,
        step,
        amount(2 * step, 1, 1),
      )
      expect(differences).to.deep.equal([])
      expect(met).to.be.greaterThan((2 * filters) / 3)
      expect(checks).to.be.greaterThan(8 * filters)
    }).timeout(600_000)
})
