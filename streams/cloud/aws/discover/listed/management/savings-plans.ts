import { daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { timeOf } from '#streams/cloud/aws/map/resource.ts'

export const savingsPlans = listType('savingsplans', {
  type: 'aws-savings-plan',
  permissions: ['savingsplans:DescribeSavingsPlans'],
  scope: 'global',
  // Those that have ended, or never began, are kept for ever: they commit to nothing.
  list: (m, nextToken) =>
    new m.DescribeSavingsPlansCommand({
      maxResults: 1000,
      states: ['active', 'queued', 'payment-pending', 'pending-return'],
      ...(nextToken && { nextToken }),
    }),
  next: ({ nextToken }) => nextToken,
  items: ({ savingsPlans: plans }) => plans,
  // Bills name a commitment by its ARN.
  uid: ({ savingsPlanArn }) => savingsPlanArn,
  fields: ({ savingsPlanId, state, tags }, { account }) => ({ name: savingsPlanId, state, tags, parentUID: account }),
  specs: {
    created_at: ({ start }) => timeOf(start),
    plan_type: ({ savingsPlanType }) => savingsPlanType,
    commitment_hourly: ({ commitment }) => (commitment === undefined ? undefined : Number(commitment)),
    end: ({ end }) => timeOf(end),
    days_to_end: ({ end }) => (end === undefined ? undefined : daysSince(new Date(), Date.parse(end))),
    state: ({ state }) => state,
  },
})
