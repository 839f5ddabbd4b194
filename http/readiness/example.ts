/** The example plan in the API document. */
export const exampleIds = {
  plan: '3f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  policy: '0f0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01',
}

export const termsExample = {
  name: 'Black Friday',
  description: 'The shop opens its sale at 15:00 in Berlin.',
  eventStart: '2030-11-29T14:00:00.000Z',
  eventEnd: '2030-11-29T18:00:00.000Z',
  preScaleMinutes: 30,
  postEventMinutes: 45,
  expectedMultiplier: 3,
  timezone: 'Europe/Berlin',
  targets: [{ policyId: exampleIds.policy }],
}

export const planExample = {
  id: exampleIds.plan,
  orgId: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
  ...termsExample,
  status: 'scheduled',
  targets: [{ policyId: exampleIds.policy, originalMin: 2, originalMax: 10, originalDesired: 4 }],
  createdAt: '2030-11-01T09:00:00.000Z',
}

export const logExample = {
  id: '5f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  kind: 'transition',
  from: 'scheduling',
  to: 'scheduled',
  message: 'All targets are reserved.',
  actor: 'executor',
  createdAt: '2030-11-01T09:00:01.000Z',
}

export const costExample = {
  currency: 'USD',
  estimatedExtraCost: 5.25,
  perTarget: [{ policyId: exampleIds.policy, extraCost: 5.25 }],
}

export const checkExample = {
  ready: true,
  checks: [
    {
      name: 'capacity',
      status: 'pass',
      message: '4 units now, 9 for the event.',
      policyId: exampleIds.policy,
    },
    { name: 'credentials', status: 'pass', message: 'The credentials of all accounts allow reading and writing.' },
    { name: 'executor_queue', status: 'pass', message: 'No pending calls.' },
  ],
}

export const previewExample = {
  scaleUpAt: '2030-11-29T13:30:00.000Z',
  rollbackAt: '2030-11-29T18:45:00.000Z',
  targets: [
    {
      policyId: exampleIds.policy,
      currentMin: 2,
      currentMax: 10,
      currentDesired: 4,
      scaledMin: 5,
      scaledMax: 22,
      scaledDesired: 9,
      isEstimated: true,
    },
  ],
  warnings: [],
}

export const impactExample = {
  policyId: exampleIds.policy,
  currentClass: 'db.m5.large',
  recommendedClass: 'db.m5.2xlarge',
  cpuDelta: 6,
  ramGbDelta: 24,
  iopsDelta: 0,
}
