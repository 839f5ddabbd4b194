/** The mails that tell administrators of workflows. */
import { expect } from 'chai'
import { mailWork, type MailTools } from '#actors/workflow/call/mail.ts'
import type { MailRow } from '#actors/workflow/call/mail-text.ts'
import { planOf } from '#actors/workflow/plan/plan.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { mailTemplates, type MailTemplate } from '#streams/workflow.ts'

const plan = planOf(
  {
    id: 'r-1',
    status: 'open',
    ruleId: 'RC-1001',
    category: 'idle',
    actionType: 'stop',
    automation: 'executor',
    title: 'Stop EC2 instance <b>web</b>.',
    remediation: 'Ask the owner.',
    resourceUid: 'i-1',
    resourceName: 'web\r\nBcc: everybody@example.com',
    resourceType: 'aws-ec2',
    provider: 'aws',
    region: 'us-east-1',
    targetSpec: null,
    currentCostUsd: '276.48',
    savingsUsd: '152.64',
  },
  { status: 'running', instanceType: 'm5.2xlarge', specs: {}, schedulable: true },
  { fourEyes: false, windows: [], policies: [] },
)

const row: MailRow = {
  email: 'ada@example.com',
  organization: 'Shop',
  account: 'Production',
  plan,
  steps: [
    {
      id: 'stop/approve/1',
      name: 'approval',
      kind: 'approval',
      approvals: 2,
      reversible: true,
      status: 'awaiting_user',
      output: { expiresAt: '2026-01-22T10:00:00.000Z' },
    },
  ],
  approvals: [{ stepId: 'stop/approve/1' }],
  reason: '',
  startedBy: 'ben@example.com',
}

async function sent(
  template: MailTemplate,
  notifyTerminal: boolean,
  rows: readonly MailRow[] = [row],
): Promise<Mail[]> {
  const mails: Mail[] = []
  const tools = {
    reads: { rows: async () => rows },
    channels: { email: { send: async (mail: Mail) => void mails.push(mail) } },
    publicUrl: () => 'https://tidemark.example.com',
    notifyTerminal,
  } as unknown as MailTools
  const input = { cloudAccountId: 'acct-1', jobId: 'j-1', template, stepId: 'stop/approve/1', userId: 'u-1' }
  const call = { key: 'k', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
  await mailWork(tools).run(input, call)
  return mails
}

describe('mails about workflows', () => {
  it('ask for an approval: what, why, where, for how much, until when; in plain text that nothing breaks out of [WF-18]', async () => {
    const [mail] = await sent('remediation.approval_required', false)
    expect(mail!.to).to.equal('ada@example.com')
    expect(mail!.subject).to.equal('Approval needed: stop web Bcc: everybody@example.com')
    expect(mail!.headers).to.deep.equal({ 'X-Tidemark-Template': 'remediation.approval_required' })
    expect(mail!.text.split('\n')).to.deep.equal([
      'A change in “Shop” is waiting for your approval. Nothing is changed before it is approved.',
      '',
      'What: Stop it: aws-ec2 web Bcc: everybody@example.com (i-1)',
      'Why: Stop EC2 instance <b>web</b>. (RC-1001)',
      'Where: Production, aws us-east-1',
      'Cost now: 276.48 USD a month; potential savings: 152.64 USD a month',
      'Started by: ben@example.com',
      'Approvals: 1 of 2',
      'Expires: 2026-01-22T10:00:00.000Z; the workflow is then cancelled',
      '',
      'Workflow j-1, step stop/approve/1. Review it, then approve or reject it, signed in or with an administrator token:',
      '  GET https://tidemark.example.com/workflows/j-1',
      '  POST https://tidemark.example.com/workflows/j-1/steps-by-id/stop%2Fapprove%2F1/approve',
      '  POST https://tidemark.example.com/workflows/j-1/steps-by-id/stop%2Fapprove%2F1/reject',
      'or: tidemark workflow approve --org ORG --id j-1 --step stop/approve/1',
      '',
    ])
    expect(mail!.html).to.include('&lt;b&gt;web&lt;/b&gt;').and.not.to.include('<b>')
  })

  it('tell how it ended only where that is asked for [WF-19]', async () => {
    for (const template of mailTemplates.filter((one) => one !== 'remediation.approval_required')) {
      expect(await sent(template, false), template).to.deep.equal([])
      const [mail, ...others] = await sent(template, true)
      expect(others).to.deep.equal([])
      expect(mail!.headers).to.deep.equal({ 'X-Tidemark-Template': template })
    }
    const [failed] = await sent('remediation.failed', true, [{ ...row, reason: 'The cloud refused it.' }])
    expect(failed!.subject).to.equal('stop web Bcc: everybody@example.com failed')
    expect(failed!.text).to.include('\nThe cloud refused it.\n')
  })

  it('go to nobody who is no administrator by then', async () => {
    expect(await sent('remediation.approval_required', true, [])).to.deep.equal([])
  })
})
