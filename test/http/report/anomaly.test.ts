import { expect } from 'chai'
import { deepIt } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const [friday, saturday] = ['2026-01-16', '2026-01-17']
const days = `from=${friday}&to=${saturday}`

describe('anomalies as a list of causes', () => {
  const world = reportWorld()
  const { data, refused } = world

  let version = 0
  type Top = readonly [uid: string, deltaUSD: number]
  /** An anomaly of Friday, `excess` US dollars above a baseline of 100; its id is `<type> <key>`. */
  const anomaly = (type: string, key: string, excess: number, top: readonly Top[] = [], more: object = {}) => ({
    org_id: world.org,
    date: friday,
    anomaly_type: type,
    anomaly_key: key,
    label: `The ${key}`,
    id: `${type} ${key}`,
    severity: 'critical',
    method: 'percent',
    actual_usd: 100 + excess,
    expected_usd: 100,
    deviation_percent: excess,
    root_cause: 'Usage spike',
    top_resources: JSON.stringify(
      top.map(([resourceUid, deltaUSD]) => ({ resourceUid, resourceName: resourceUid, costUSD: deltaUSD, deltaUSD })),
    ),
    created_at: '2026-01-17 04:30:00.000',
    ...(type === 'cloud_account' && { cloud_account_id: key }),
    ...(type === 'team' && { team_id: key }),
    ...(type === 'resource' && { cloud_account_id: 'A', team_id: 'unassigned' }),
    x_Version: String(++version),
    ...more,
  })
  const own = (excess: number, top: readonly Top[] = [], more: object = {}) =>
    anomaly('org', world.org, excess, top, { id: 'org', ...more })
  const put = (...rows: object[]) => world.insert('anomaly_state', rows)
  const list = async (query = '') => data(`/reports/anomalies?${days}${query}`)
  /** Each story as the id that leads it, its dollars, and the ids that are folded into it. */
  const stories = async (query = '') =>
    (await list(`&fold=story${query}`)).items.map((one: any) => [one.id, one.excessUsd, one.folded ?? []])

  it('shows what each is called, whose it is, and its exact excess to the cent', async () => {
    await put(
      anomaly('resource', 'r1', 0, [['r1', 1]], { actual_usd: 100.005, expected_usd: 0.01 }),
      // 10.002, rounded once: not the 10.01 that is left of 10.01 less 0.00.
      own(0, [], { actual_usd: 10.006, expected_usd: 0.004, label: '' }),
    )
    const [of, resource] = (await list()).items
    expect(resource).to.deep.equal({
      id: 'resource r1',
      orgId: world.org,
      date: friday,
      anomalyType: 'resource',
      anomalyKey: 'r1',
      label: 'The r1',
      cloudAccountID: 'A',
      teamID: 'unassigned',
      severity: 'critical',
      method: 'percent',
      actualCostUsd: 100.01,
      expectedCostUsd: 0.01,
      excessUsd: 100,
      deviationPercent: 0,
      rootCause: 'Usage spike',
      suppressed: false,
      recurring: false,
      notified: false,
      notifiedAt: null,
      createdAt: '2026-01-17T04:30:00.000Z',
    })
    expect([of.label, of.excessUsd, 'cloudAccountID' in of]).to.deep.equal([world.org, 10, false])
  })

  it('shows those of some resources alone, which stories are not of', async () => {
    await put(anomaly('resource', 'a,b', 20), anomaly('resource', 'r2', 30), anomaly('team', 'r2', 40), own(50))
    const ids = async (query: string) => (await list(query)).items.map(({ id }: any) => id)
    expect(await ids('&resource_uid=a%2Cb')).to.deep.equal(['resource a,b'])
    expect(await ids('&resource_uid=a%2Cb&resource_uid=r2&sort_by=excess')).to.deep.equal([
      'resource r2',
      'resource a,b',
    ])
    expect(await ids('&resource_uid=r2&type=team')).to.deep.equal([])
    expect(await refused(`/reports/anomalies?${days}&resource_uid=r2&fold=story`)).to.deep.equal(['resource_uid: fold'])
  })

  it('stands in the trend of its day by its id, with its exact excess to the cent', async () => {
    await put(own(0, [], { actual_usd: 10.006, expected_usd: 0.004, deviation_percent: 2500 }))
    await world.bill(world.line('1', 10, { x_Day: friday }))
    const { items } = await data(`/reports/trends?${days}`)
    expect(items.map(({ date, anomaly: found }: any) => [date, found])).to.deep.equal([
      [
        friday,
        {
          id: 'org',
          severity: 'critical',
          actualCostUsd: 10.01,
          expectedCostUsd: 0,
          excessUsd: 10,
          deviationPercent: 2500,
          topResources: [],
          rootCause: 'Usage spike',
        },
      ],
      [saturday, undefined],
    ])
  })

  it('leaves out what is less than a least excess, compared exactly', async () => {
    // In binary floats 100.3 - 100 is less than 0.3, and 0.3 - 0.1 is less than 0.2.
    await put(
      anomaly('resource', 'r1', 0, [], { actual_usd: 100.3 }),
      anomaly('resource', 'r2', 0, [], { actual_usd: 100.2999 }),
      anomaly('resource', 'r3', 0, [], { actual_usd: 0.3, expected_usd: 0.1 }),
    )
    const least = async (usd: string) => (await list(`&min_usd=${usd}`)).items.map((one: any) => one.anomalyKey)
    expect(await least('0')).to.deep.equal(['r1', 'r2', 'r3'])
    expect(await least('0.2')).to.deep.equal(['r1', 'r2', 'r3'])
    expect(await least('0.20000001')).to.deep.equal(['r1', 'r2'])
    expect(await least('0.3')).to.deep.equal(['r1'])
    expect(await least('0.30000001')).to.deep.equal([])
    expect(await refused(`/reports/anomalies?${days}&min_usd=-1`)).to.deep.equal(['min_usd: minimum'])
  })

  it('goes by day or by dollars, in either order', async () => {
    await put(
      anomaly('resource', 'r1', 90),
      anomaly('resource', 'r2', 9, [], { date: saturday }),
      anomaly('resource', 'r3', 100),
    )
    const order = async (query: string) => (await list(query)).items.map((one: any) => one.anomalyKey)
    expect(await order('')).to.deep.equal(['r2', 'r1', 'r3'])
    expect(await order('&sort_order=asc')).to.deep.equal(['r1', 'r3', 'r2'])
    expect(await order('&sort_by=excess')).to.deep.equal(['r3', 'r1', 'r2'])
    expect(await order('&sort_by=excess&sort_order=asc')).to.deep.equal(['r2', 'r1', 'r3'])
    expect(await order('&sort_by=excess&limit=1&page=2')).to.deep.equal(['r1'])
    expect(await refused(`/reports/anomalies?${days}&sort_by=percent`)).to.deep.equal(['sort_by: enum'])
    expect(await refused(`/reports/anomalies?${days}&fold=day`)).to.deep.equal(['fold: enum'])
  })

  it('folds what one resource explains into its own row, whose dollars are those of the story', async () => {
    const r1: Top = ['r1', 60]
    await put(
      own(80, [r1, ['r9', 20]]),
      anomaly('cloud_account', 'A', 70, [r1]),
      anomaly('resource_group', 'g1', 60, [r1]),
      anomaly('team', 't1', 61, [r1]),
      anomaly('resource', 'r1', 60, [r1]),
    )
    const { items, total } = await list('&fold=story')
    const [unfolded] = (await list('&type=resource')).items
    expect([items, total]).to.deep.equal([
      [
        {
          ...unfolded,
          storyKey: `${friday}/resource/r1`,
          folded: ['resource_group g1', 'team t1', 'cloud_account A', 'org'],
        },
      ],
      1,
    ])
  })

  it('keeps apart the causes of one day, and the days of one cause', async () => {
    await put(
      // r1 is 60 of the 100 dollars of all, and of 60 of account A; r2 is all of account B.
      own(100, [
        ['r1', 60],
        ['r2', 40],
      ]),
      anomaly('cloud_account', 'A', 60, [['r1', 60]]),
      anomaly('cloud_account', 'B', 40, [['r2', 40]]),
      anomaly('resource', 'r1', 60, [['r1', 60]]),
      anomaly('resource', 'r2', 40, [['r2', 40]], { cloud_account_id: 'B' }),
      anomaly('resource', 'r1', 90, [['r1', 90]], { date: saturday, id: 'r1 on Saturday' }),
      anomaly('resource', 'r3', 5, [['r3', 5]]),
    )
    expect(await stories('&sort_by=excess')).to.deep.equal([
      ['r1 on Saturday', 90, []],
      ['resource r1', 60, ['cloud_account A', 'org']],
      ['resource r2', 40, ['cloud_account B']],
      ['resource r3', 5, []],
    ])
    expect(await stories('&sort_by=excess&limit=2&page=2')).to.deep.equal([
      ['resource r2', 40, ['cloud_account B']],
      ['resource r3', 5, []],
    ])
    const { total, hasMore } = await list('&fold=story&limit=3&page=1')
    const beyond = await list('&fold=story&limit=3&page=9')
    expect([total, hasMore, beyond.items, beyond.total]).to.deep.equal([4, true, [], 4])
  })

  it('takes half of the excess for the cause of a row, and no less', async () => {
    await put(
      anomaly('cloud_account', 'A', 100, [['r1', 50]]),
      anomaly('cloud_account', 'B', 100, [['r1', 49.99999999]]),
      anomaly('resource', 'r1', 50, [['r1', 50]]),
    )
    expect(await stories()).to.deep.equal([
      ['cloud_account B', 100, []],
      ['resource r1', 50, ['cloud_account A']],
    ])
  })

  it('has the narrowest lead where the resource has no row of its own, the cheapest of one type', async () => {
    const made: Top = ['new', 50]
    await put(
      own(80, [made]),
      anomaly('resource_group', 'wide', 60, [made]),
      anomaly('resource_group', 'narrow', 55, [made]),
      anomaly('team', 't1', 50, [made]),
    )
    expect(await stories()).to.deep.equal([['resource_group narrow', 55, ['resource_group wide', 'team t1', 'org']]])
    expect((await list('&fold=story')).items[0].storyKey).to.equal(`${friday}/resource/new`)
  })

  describe('without a resource that explains it', () => {
    it('folds the organization with the account that is half of it or more', async () => {
      await put(own(100), anomaly('cloud_account', 'A', 50), anomaly('cloud_account', 'B', 40))
      expect(await stories()).to.deep.equal([
        ['cloud_account A', 50, ['org']],
        ['cloud_account B', 40, []],
      ])
      expect((await list('&fold=story')).items.map((one: any) => one.storyKey)).to.deep.equal([
        `${friday}/cloud_account/A`,
        `${friday}/cloud_account/B`,
      ])
    })

    it('folds nothing else: not with less than half, nor with an account that a resource explains, nor teams', async () => {
      await put(
        own(100),
        anomaly('cloud_account', 'A', 49),
        anomaly('cloud_account', 'B', 90, [['r1', 45]]),
        anomaly('team', 't1', 100),
        anomaly('resource_group', 'g1', 100),
      )
      expect((await stories()).map(([id, , folded]: any) => [id, folded])).to.deep.equal([
        ['cloud_account A', []],
        ['cloud_account B', []],
        ['org', []],
        ['resource_group g1', []],
        ['team t1', []],
      ])
    })

    it('folds by the days of each, though the account exceeds the organization where others fell', async () => {
      await put(own(40), anomaly('cloud_account', 'A', 100), own(70, [], { date: saturday, id: 'org on Saturday' }))
      expect(await stories()).to.deep.equal([
        ['org on Saturday', 70, []],
        ['cloud_account A', 100, ['org']],
      ])
    })
  })

  it('folds what is suppressed with what is suppressed alone', async () => {
    const hidden = { severity: 'info', suppressed: 1 }
    const top: Top = ['r1', 60]
    await put(
      own(80, [top], hidden),
      anomaly('cloud_account', 'A', 70, [top]),
      anomaly('team', 't1', 60, [top], hidden),
    )
    const found = (await list('&fold=story')).items.map((one: any) => [one.id, one.severity, one.folded, one.storyKey])
    expect(found).to.deep.equal([
      ['cloud_account A', 'critical', undefined, `${friday}/resource/r1`],
      ['team t1', 'info', ['org'], `${friday}/suppressed/resource/r1`],
    ])
    expect(await stories('&include_suppressed=false')).to.deep.equal([['cloud_account A', 70, []]])
  })

  deepIt(
    'asks for type, severity, review and amount of what leads a story, for accounts and teams of any in it',
    async () => {
      const reviewed = { review_state: 'acknowledged', reviewed_by: 'u1', reviewed_at: '2026-01-18 00:00:00.000' }
      const top: Top = ['r1', 60]
      await put(
        own(500, [], { severity: 'emergency' }),
        anomaly('cloud_account', 'A', 70, [top]),
        anomaly('team', 't1', 65, [top]),
        anomaly('resource', 'r1', 60, [top], reviewed),
      )
      const story = ['resource r1', 60, ['team t1', 'cloud_account A']]
      const whole = ['org', 500, []]
      const asked = (query: string) => stories(`&${query}`)
      expect(await asked('sort_by=excess')).to.deep.equal([whole, story])
      expect(await asked('review=none')).to.deep.equal([whole])
      expect(await asked('review=acknowledged')).to.deep.equal([story])
      expect(await asked('type=cloud_account')).to.deep.equal([])
      expect(await asked('type=resource')).to.deep.equal([story])
      expect(await asked('severity=emergency')).to.deep.equal([whole])
      expect(await asked('min_usd=60.01')).to.deep.equal([whole])
      expect(await asked('cloud_account_id=A')).to.deep.equal([story])
      expect(await asked('team_id=t1')).to.deep.equal([story])
      expect(await asked('team_id=t2')).to.deep.equal([])
      const [acknowledged] = (await list('&fold=story&type=resource')).items
      expect(acknowledged.review.state).to.equal('acknowledged')
    },
  )

  it('folds for each what he may see', async () => {
    const top: Top = ['r1', 60]
    await put(
      own(80, [top]),
      anomaly('cloud_account', 'A', 70, [top]),
      anomaly('cloud_account', 'B', 9),
      anomaly('team', 't1', 65, [top]),
      anomaly('resource', 'r1', 60, [top], { team_id: 't1' }),
    )
    world.seeOnly({ cloudAccountIDs: ['A'] })
    expect(await stories()).to.deep.equal([['resource r1', 60, ['cloud_account A']]])
    world.seeOnly({ teamIDs: ['t1'] })
    expect(await stories()).to.deep.equal([['resource r1', 60, ['team t1']]])
    world.seeOnly({ cloudAccountIDs: ['B'] })
    expect(await stories()).to.deep.equal([['cloud_account B', 9, []]])
    world.seeOnly({})
    expect(await list('&fold=story')).to.include({ total: 0 })
  })

  it('leaves out of a story what was withdrawn', async () => {
    await put(own(80, [['r1', 60]]), anomaly('resource', 'r1', 60, [['r1', 60]]))
    await put(anomaly('resource', 'r1', 0, [], { withdrawn: 1 }))
    expect(await stories()).to.deep.equal([['org', 80, []]])
  })
})
