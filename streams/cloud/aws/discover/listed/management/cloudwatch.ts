import type { MetricAlarm } from '@aws-sdk/client-cloudwatch'
import { also, daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export const alarms = listType('cloudwatch', {
  type: 'aws-cw-alarm',
  permissions: ['cloudwatch:DescribeAlarms', 'cloudwatch:ListTagsForResource'],
  list: (m, NextToken) =>
    new m.DescribeAlarmsCommand({
      MaxRecords: 100,
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      ...(NextToken && { NextToken }),
    }),
  next: ({ NextToken }) => NextToken,
  // Composite alarms have no period of their own.
  items: ({ MetricAlarms, CompositeAlarms }) => [
    ...listOf(MetricAlarms).map((alarm) => ({ ...alarm, periods: periodsOf(alarm) })),
    ...listOf(CompositeAlarms).map((alarm) => ({ ...alarm, periods: [] })),
  ],
  detail: ({ AlarmArn: ResourceARN }, place) =>
    also(place, 'tags', () => place.ask('cloudwatch', (m) => new m.ListTagsForResourceCommand({ ResourceARN }))),
  uid: ({ AlarmArn }) => AlarmArn,
  fields: ({ AlarmName, StateValue }, _, detail) => ({ name: AlarmName, state: StateValue, tags: detail?.Tags }),
  specs: {
    state: ({ StateValue }) => StateValue,
    // The update of a state may leave its value as it was.
    state_days: ({ StateTransitionedTimestamp, StateUpdatedTimestamp }) =>
      daysSince(StateTransitionedTimestamp ?? StateUpdatedTimestamp),
    high_resolution: ({ periods }) => periods.some((seconds) => seconds < 60),
  },
})

/** Seconds. */
const periodsOf = ({ Period, Metrics }: MetricAlarm): number[] =>
  [Period, ...listOf(Metrics).flatMap((one) => [one.Period, one.MetricStat?.Period])].flatMap((one) => one ?? [])
