import { expect } from 'chai'
import { anomaliesSql } from '#http/console/web/sql.ts'

describe('anomalies as analysts ask for them', () => {
  it('are narrowed as the list is, with what is typed as text', () => {
    const query = {
      from: '2026-01-01',
      to: '2026-01-31',
      severity: ['critical', 'emergency'],
      review: ['none'],
      team_id: ["o'hara"],
      min_usd: ['50'],
      include_suppressed: false,
      sort_by: 'excess',
    }
    expect(anomaliesSql(query).split('\n').slice(1)).to.deep.equal([
      'FROM anomalies',
      "WHERE date >= '2026-01-01' AND date <= '2026-01-31' AND severity IN ('critical', 'emergency') AND " +
        "if(review_state = '', 'none', review_state) IN ('none') AND team_id IN ('o\\'hara') AND excess_usd >= 50 AND suppressed = 0",
      'ORDER BY excess_usd DESC',
    ])
    expect(anomaliesSql({ id: 'a1' }).split('\n').slice(1)).to.deep.equal([
      'FROM anomalies',
      "WHERE id IN ('a1')",
      'ORDER BY excess_usd DESC',
    ])
  })
})
