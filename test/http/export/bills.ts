/** Lines of bills that exports are made of. */

export const january = { from: '2026-01-01', to: '2026-01-31' }

export const line = (lineId: string, costUSD: number | string, more: object = {}) => ({
  lineId,
  cloudAccountId: 'acct-1',
  provider: 'aws' as const,
  serviceName: 'Compute',
  usageDate: '2026-01-01',
  costUSD,
  exportedAt: '2026-02-01T00:00:00Z',
  ...more,
})

/** Scenario S-07. */
export const three = [
  line('1', 60, { region: 'us-east-1', resourceUid: 'r1', resourceType: 'aws-ec2' }),
  line('2', 40, { region: 'us-west-2', resourceUid: 'r2', resourceType: 'aws-rds', usageDate: '2026-01-02' }),
  line('3', 25, {
    region: 'europe-west1',
    provider: 'gcp',
    cloudAccountId: 'acct-2',
    resourceUid: 'r3',
    usageDate: '2026-01-31',
  }),
  line('4', 99, { usageDate: '2026-02-01' }),
]
/** An amount of 13 decimals, which a file keeps and a total rounds. */
export const exact = line('5', '0.1234567890123', { Tags: { env: 'prod' }, resourceUid: 'r5' })
/** Names of services that spreadsheets would take for formulas, in a month of their own. */
export const november = { from: '2025-11-01', to: '2025-11-30' }
export const formulas = [
  ['=HYPERLINK("http://x","y")', -5],
  ['@sum', 1],
  ['+1+1', 1],
  ['-2+3', 1],
  ['a "b", c\nd', 1],
  ['-7', 1],
].map(([serviceName, cost], n) => line(`f-${n}`, cost!, { serviceName, usageDate: '2025-11-01' }))
