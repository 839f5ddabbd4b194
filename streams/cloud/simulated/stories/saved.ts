import type { Story } from '#streams/cloud/simulated/story.ts'

/** Days ago on which something was done about a machine, the first of what it came to. */
export const doneDaysAgo = { resized: 43, stoppedForIdling: 36, scheduled: 42, stoppedYoung: 10 } as const

/** More than any resource is old. */
const always = 1000

/** What was done about waste some weeks ago, so that bills of before and after are there to prove what it saved. */
export const savedStories: readonly Story[] = [
  {
    id: 'resized-renderer',
    title: 'A machine was resized six weeks ago, and its team uses it less since',
    find: 'Savings: estimated for all hours, observed without weekends on which scans found it off, proved for the hours that it ran.',
    rules: [],
    account: 'sim-aws-production',
    names: ['invoice-render-1'],
    change: {
      resize: { size: 'm5.2xlarge', fromDaysAgo: always, toDaysAgo: doneDaysAgo.resized + 1 },
      formerHours: { hours: 'always', toDaysAgo: doneDaysAgo.resized + 1 },
    },
  },
  {
    id: 'stopped-report',
    title: 'A machine that worked at night for nobody was stopped five weeks ago',
    find: 'Savings: observed for all hours that it is off, proved for the six a night that it had cost.',
    rules: [],
    account: 'sim-aws-staging',
    names: ['night-report-1'],
    change: { load: 'idle', formerHours: { hours: 'nightly', toDaysAgo: doneDaysAgo.stoppedForIdling + 1 } },
  },
  {
    id: 'scheduled-farm',
    title: 'A test machine rests at night by a schedule since six weeks',
    find: 'Savings of source schedule: observed, and proved by the bill.',
    rules: [],
    account: 'sim-aws-staging',
    names: ['test-farm-1'],
    change: { formerHours: { hours: 'always', toDaysAgo: doneDaysAgo.scheduled + 1 } },
  },
  {
    id: 'stopped-notebook',
    title: 'A machine of the new account was stopped by hand before a week of it was billed',
    find: 'Savings of source manual: observed, and not proved, for baseline_short.',
    rules: [],
    account: 'sim-aws-analytics',
    names: ['notebook-1'],
    change: { formerHours: { hours: 'always', toDaysAgo: doneDaysAgo.stoppedYoung + 1 } },
  },
  {
    id: 'wasted-plan',
    title: 'A savings plan of which a fifth is not used ends in eleven weeks',
    find: 'Commitments: utilization 78 %, 3.74 dollars of waste a day, 75 days left; recommendation RC-1513 by these bills.',
    rules: [],
    account: 'sim-aws-production',
    names: ['savingsplan-sim-compute-3y'],
    change: {},
  },
]
