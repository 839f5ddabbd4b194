import type { Story } from './story.ts'

/** For each machine: how many days ago the change took effect. */
export const doneDaysAgo = { resized: 43, stoppedForIdling: 36, scheduled: 42, stoppedYoung: 10 } as const

/** More days than any resource is old. */
const always = 1000

/** Changes made some weeks ago, so that bills from before and after verify their savings. */
export const savedStories: readonly Story[] = [
  {
    id: 'resized-renderer',
    title: 'A machine was resized six weeks ago and has been used less since',
    find: 'Savings: estimated for all hours, observed without the weekends when scans found it off, verified for the hours it ran.',
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
    title: 'A machine that ran at night without use was stopped five weeks ago',
    find: 'Savings: observed for all hours it is off, verified for the six hours a night it used to cost.',
    rules: [],
    account: 'sim-aws-staging',
    names: ['night-report-1'],
    change: { load: 'idle', formerHours: { hours: 'nightly', toDaysAgo: doneDaysAgo.stoppedForIdling + 1 } },
  },
  {
    id: 'scheduled-farm',
    title: 'A schedule has stopped a test machine at night for six weeks',
    find: 'Savings with the source schedule: observed, and verified by the bill.',
    rules: [],
    account: 'sim-aws-staging',
    names: ['test-farm-1'],
    change: { formerHours: { hours: 'always', toDaysAgo: doneDaysAgo.scheduled + 1 } },
  },
  {
    id: 'stopped-notebook',
    title: 'A machine in the new account was stopped manually before it had a week of bills',
    find: 'Savings with the source manual: observed, but not verified because of baseline_short.',
    rules: [],
    account: 'sim-aws-analytics',
    names: ['notebook-1'],
    change: { formerHours: { hours: 'always', toDaysAgo: doneDaysAgo.stoppedYoung + 1 } },
  },
  {
    id: 'wasted-plan',
    title: 'A Savings Plan with a fifth unused expires in eleven weeks',
    find: 'Commitments: utilization 78%, 3.74 dollars of waste a day, 75 days left; recommendation RC-1513 from these bills.',
    rules: [],
    account: 'sim-aws-production',
    names: ['savingsplan-sim-compute-3y'],
    change: {},
  },
]
