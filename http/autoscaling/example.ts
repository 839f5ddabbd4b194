/** The example policy in the API document: a fleet with an open recommendation to scale up. */
const at = '2030-01-07T13:00:00.000Z'

export const exampleIds = { policy: '0f0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01', account: 'acct-1', target: 'asg-web' }

const target = { type: 'aws-asg', uid: exampleIds.target }
const terms = { min: 2, max: 10, targetCPUPercent: 60, cooldownSeconds: 300 }

export const createExample = {
  name: 'Web',
  mode: 'recommend',
  cloudAccountID: exampleIds.account,
  target,
  ...terms,
  triggers: [{ preset: 'business-hours', timezone: 'America/New_York' }],
}

export const replayExample = {
  target,
  ...terms,
  triggers: createExample.triggers,
  from: '2030-01-01T00:00:00Z',
  to: '2030-01-07T00:00:00Z',
}

export const policyExample = {
  id: exampleIds.policy,
  orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
  name: 'Web',
  mode: 'recommend',
  effectiveMode: 'recommend',
  status: 'active',
  cloudAccountID: exampleIds.account,
  provider: 'aws',
  target,
  ...terms,
  triggers: createExample.triggers,
  adoption: null,
  latestRecommendation: {
    id: '0f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a02',
    fromMin: 2,
    fromMax: 10,
    toMin: 6,
    toMax: 10,
    reason: 'CPU was 90% of 4 units in the last 5 minutes; the target is 60%.',
    createdAt: at,
  },
  currentTarget: { min: 2, max: 10, desired: 4, cpuPercent: 90, observedAt: at },
  createdAt: at,
  updatedAt: at,
}

export const eventExample = {
  id: '0f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a02',
  kind: 'recommendation',
  fromMin: 2,
  fromMax: 10,
  toMin: 6,
  toMax: 10,
  reason: policyExample.latestRecommendation.reason,
  appliedBy: null,
  createdAt: at,
}
