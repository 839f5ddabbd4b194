/** The example workflow in the API document: stopping a machine, waiting for an approval. */
const ids = {
  job: '7f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  recommendation: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
  user: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
}
const at = '2026-01-15T10:00:00.000Z'
const seenAt = '2026-01-15T10:00:00.212Z'

const stepExamples = [
  { id: 'stop/precondition/1', name: 'precondition', kind: 'precondition', reversible: true },
  { id: 'stop/approve/1', name: 'approval', kind: 'approval', approvals: 1, expiresHours: 168, reversible: true },
  { id: 'stop/execute/1', name: 'execute', kind: 'execute', reversible: true },
  { id: 'stop/validate/1', name: 'validate', kind: 'validate', timeoutMinutes: 15, reversible: true },
]

export const jobExample = {
  id: ids.job,
  orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
  recommendationID: ids.recommendation,
  subjectType: 'resource',
  subjectID: 'i-0a1b2c3d4e5f60718',
  resourceUid: 'i-0a1b2c3d4e5f60718',
  cloudAccountID: 'acct-1',
  template: 'stop',
  templateRevision: 1,
  title: 'Stop EC2 instance web.',
  status: 'awaiting_user',
  currentStep: 'approval',
  steps: [
    { ...stepExamples[0], status: 'succeeded', startedAt: at, completedAt: seenAt },
    { ...stepExamples[1], status: 'awaiting_user', startedAt: seenAt },
    { ...stepExamples[2], status: 'pending' },
    { ...stepExamples[3], status: 'pending' },
  ],
  planHash: '3b9a2f4d0c8e716f5a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f',
  createdBy: ids.user,
  createdAt: at,
  updatedAt: seenAt,
  plan: {
    title: 'Stop EC2 instance web.',
    operation: 'Stop it: aws-ec2 web (i-0a1b2c3d4e5f60718)',
    ruleId: 'RC-1001',
    actionType: 'stop',
    resource: { uid: 'i-0a1b2c3d4e5f60718', name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1' },
    operations: [{ kind: 'stop' }],
    was: { exists: true, status: 'running', instanceType: 'm5.2xlarge' },
    estimate: { costUsd: 276.48, savingsUsd: 276.48 },
    fourEyes: false,
    windows: [],
    policies: [],
  },
  audit: [
    { stepName: 'precondition', eventType: 'created', actor: 'system', createdAt: at },
    { stepName: 'precondition', eventType: 'completed', actor: 'system', createdAt: seenAt },
    { stepName: 'approval', eventType: 'created', actor: 'system', createdAt: seenAt },
  ],
}

export const pendingExample = {
  jobID: ids.job,
  stepID: 'stop/approve/1',
  stepName: 'approval',
  recommendationID: ids.recommendation,
  resourceUid: 'i-0a1b2c3d4e5f60718',
  title: 'Stop EC2 instance web.',
  operation: 'Stop it: aws-ec2 web (i-0a1b2c3d4e5f60718)',
  currentCostUsd: 276.48,
  savingsUsd: 276.48,
  requestedAt: seenAt,
  expiresAt: '2026-01-22T10:00:00.212Z',
  approvalsGiven: 0,
  approvalsNeeded: 1,
}

export const previewExample = {
  recommendationID: ids.recommendation,
  template: 'stop',
  templateRevision: 1,
  operation: 'Stop it: aws-ec2 web (i-0a1b2c3d4e5f60718)',
  steps: stepExamples,
  was: jobExample.plan.was,
  planHash: jobExample.planHash,
  underWay: { jobID: ids.job, planHash: jobExample.planHash, changes: [] },
  approvalRequired: true,
}

export const exampleIds = ids
