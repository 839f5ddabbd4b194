// tier: deep
import { expect } from 'chai'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { shownBy } from '#test/harness/device.ts'
import { address, advance, ask, codeFor, founder, password, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { receiver, type Receiver } from '#test/harness/receiver.ts'

/** A name as no one has it: markup, letters of both directions, as long as may be. */
const hard = `<script>alert(1)</script> שלום ${'x'.repeat(69)}`

const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth

/** Of those who look, the one the API knows by this role. */
const memberOf = async (org: Tenant, roleID: string) =>
  ((await org.get('/members')).body.data as { userID: string; email: string; roleID: string }[]).find(
    (one) => one.roleID === roleID,
  )!

describeConsole('the console: people and what they may', () => {
  let org: Tenant
  let owner: Seen

  before(async () => {
    org = await tenant()
    owner = await look(org, { expected: /40[0-9]|422/ })
  })
  after(() => owner?.close())

  const rowOf = (name: string | RegExp) => owner.page.locator('tbody tr', { hasText: name })
  const dialog = () => owner.page.getByRole('dialog')

  it('keeps the last owner, and says why in the words of the API', async () => {
    await owner.open('members')
    await owner.page.getByRole('button', { name: 'Remove Ana' }).click()
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog().getByText('An organization must have at least one owner.').waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(owner.faults).to.deep.equal([])
  })

  it('invites a person, who is pending until they come, and a member then; what is refused keeps what was typed', async () => {
    const email = address()
    await owner.open('members')
    const form = owner.page.getByRole('region', { name: 'Invite a member' })
    await form.getByLabel('Email').fill('nobody')
    await form.getByRole('button', { name: 'Invite' }).click()
    await form.locator('.wrong').waitFor()
    expect(await form.getByLabel('Email').inputValue()).to.equal('nobody')
    await form.getByLabel('Email').fill(email)
    await form.getByLabel('Role').selectOption('editor')
    await form.getByRole('button', { name: 'Invite' }).click()
    const pending = owner.page.getByRole('region', { name: 'Pending invitations' })
    await pending.getByText('1 invitation').waitFor()
    expect(await pending.locator('tbody tr').textContent()).to.match(new RegExp(`^${email}editorinvited`))

    await ask('POST', '/auth/signup', { body: { email, password, name: hard } })
    await ask('PATCH', '/auth/email/otp/validate', { body: { email, otp: await codeFor(email, 2) } })
    await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })
    await owner.open('members')
    await pending.getByText('No pending invitations.').waitFor()
    const row = owner.page.getByRole('region', { name: 'Members', exact: true }).locator('tbody tr', { hasText: email })
    expect(await row.textContent()).to.match(/editoractive/)
    expect(await row.locator('.clip').first().textContent()).to.equal(hard)
    await owner.page.setViewportSize({ width: 360, height: 900 })
    expect(await owner.page.evaluate(sideways)).to.equal(0)
    await owner.page.setViewportSize({ width: 1440, height: 900 })
    expect(owner.faults).to.deep.equal([])
  })

  it('makes a role, gives it to a member who is looking, and tells him at his next look what he has lost', async () => {
    await owner.open('members?tab=roles&new=1')
    await owner.page.getByLabel('Name').fill(hard)
    for (const right of ['service.view', 'provisioning.view'])
      await owner.page.getByLabel(right, { exact: true }).setChecked(right === 'provisioning.view')
    await owner.page.getByLabel('Access to all costs of the organization').uncheck()
    await owner.page.getByText('the role shows no costs').waitFor()
    expect(await findings(owner.page)).to.deep.equal([])
    await owner.page.getByLabel('IDs of teams, one per line').fill('t-1')
    await owner.page.getByRole('button', { name: 'Create role' }).click()
    await rowOf(hard).waitFor()
    const [made] = ((await org.get('/roles')).body.data.items as any[]).filter(({ system }) => !system)
    expect([made.name, made.permissions, made.reportScope]).to.deep.equal([
      hard,
      ['space.view', 'provisioning.view'],
      { all: false, cloudAccountIDs: [], teamIDs: ['t-1'] },
    ])

    const member = await look(org, { role: 'viewer', expected: /403/ })
    const { email } = await memberOf(org, 'viewer')
    await member.open('costs')
    await owner.open('members')
    await rowOf(email)
      .getByRole('button', { name: /^Change the role of/ })
      .click()
    await dialog().getByLabel('Role').selectOption(made.id)
    await dialog().getByRole('button', { name: 'Change role' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect((await memberOf(org, made.id)).email).to.equal(email)

    await member.page.getByRole('link', { name: 'Anomalies' }).click()
    await member.page.getByText('Your role cannot view anomalies.').waitFor()
    expect(await member.page.locator('main').textContent()).to.contain('It requires the permission service.view')
    await member.page.getByRole('link', { name: 'Members' }).click()
    await member.page.getByText('Only owners and admins of the organization can see it').waitFor()
    expect([...member.faults, ...owner.faults]).to.deep.equal([])
    await member.close()
  })

  it('lets nobody overwrite unseen what another changed of a role, and says why one that is in use stays', async () => {
    const { id } = (await org.send('POST', '/roles', { name: 'Readers', permissions: ['space.view'] })).body.data
    await owner.open(`members?tab=roles&edit=${id}`)
    await owner.page.getByLabel('Name').fill('Lookers')
    await org.send('PATCH', `/roles/${id}`, { permissions: ['space.view', 'service.view'] })
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.getByText('Your changes are not saved yet').waitFor()
    expect((await org.get(`/roles/${id}`)).body.data.name).to.equal('Readers')
    expect(await owner.page.getByLabel('Name').inputValue()).to.equal('Lookers')
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await rowOf('Lookers').waitFor()
    const { name, permissions } = (await org.get(`/roles/${id}`)).body.data
    expect([name, permissions]).to.deep.equal(['Lookers', ['space.view', 'service.view']])

    await owner.page.getByRole('button', { name: `Delete role ${hard}` }).click()
    await dialog().getByRole('button', { name: 'Delete role' }).click()
    await dialog().getByText('A role that a member has cannot be deleted.').waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(owner.faults).to.deep.equal([])
  })

  it('shows a viewer what is his, and asks nothing that would be refused', async () => {
    const viewer = await look(org, { role: 'viewer', width: 360 })
    for (const name of ['members', 'security', 'settings']) {
      await viewer.open(name)
      await viewer.page.getByText('Only owners and admins of the organization can see it').waitFor()
    }
    for (const place of ['notifications', 'notifications?tab=subscriptions', 'notifications?tab=sent', 'account']) {
      await viewer.open(place)
      expect(await viewer.page.evaluate(sideways), place).to.equal(0)
    }
    await viewer.open('notifications')
    const button = viewer.page.getByRole('button', { name: 'New channel' })
    expect([await button.isDisabled(), await button.getAttribute('title')]).to.deep.equal([
      true,
      'Requires the service.create permission',
    ])
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })

  it('writes down who did what, and narrows it by type and person', async () => {
    const { userID } = await memberOf(org, 'owner')
    await owner.open(`security?type=role_created&user_id=${userID}`)
    const rows = owner.page.getByRole('table', { name: 'Security events' }).locator('tbody tr')
    expect(await rows.count()).to.equal(1)
    expect(await rows.textContent()).to.match(/role createdAna.*name <script>/s)
    await owner.page.getByRole('button', { name: 'Remove role created' }).click()
    await settled(owner.page)
    expect(await rows.count()).to.be.greaterThan(1)
    expect(owner.faults).to.deep.equal([])
  })

  it('changes a setting alone, and leaves the others as they are', async () => {
    await owner.open('settings')
    await owner.page.getByLabel('Minimum anomaly excess').fill('-1')
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.locator('.wrong').waitFor()
    await owner.page.getByLabel('Minimum anomaly excess').fill('12.5')
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.getByText('Last changed').waitFor()
    const path = `/organisations/${org.orgId}/settings`
    const { anomalyNotifyMinUSD, requireSecondFactor } = (await org.get(path)).body.data
    expect([anomalyNotifyMinUSD, requireSecondFactor]).to.deep.equal([12.5, false])
    await owner.page.getByLabel('Require a second factor to sign in').check()
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.getByText('Enable your own two-factor authentication first.').waitFor()
    expect(owner.faults).to.deep.equal([])
  })

  it('closes the organization by its name, shows until when it can be restored, and restores it [GEN-10]', async () => {
    const { name } = (await org.get('/organisations')).body.data[0]
    await owner.open('settings')
    const form = owner.page.getByRole('region', { name: 'Delete organization' })
    const button = form.getByRole('button', { name: 'Delete organization' })
    await form.getByLabel('Enter its name to confirm').fill('another')
    expect(await button.isDisabled()).to.equal(true)
    await form.getByLabel('Enter its name to confirm').fill(name)
    await button.click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await owner.page.getByRole('heading', { name: 'This organization is closed' }).waitFor()
    await owner.page.getByText('Until then, any owner can restore it.').waitFor()
    expect((await org.get('/members')).status).to.equal(403)
    await owner.page.getByRole('button', { name: 'Restore organization' }).click()
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click()
    await owner.page.getByRole('heading', { name: 'Organization settings' }).waitFor()
    expect((await org.get('/members')).status).to.equal(200)
    expect(owner.faults).to.deep.equal([])
  })
})

describeConsole('the console: what is yours', () => {
  let org: Tenant
  let seen: Seen
  let email: string

  before(async () => {
    const who = await founder()
    org = { ...(await tenant()), orgId: who.orgId }
    email = who.email
    seen = await look(org, { role: 'viewer', expected: /40[0-9]/ })
    await signIn()
    await seen.page.waitForSelector('.frame')
    // One more of his, to be ended.
    await ask('POST', '/auth/login', { body: { provider: 'email', email, password } })
  })
  after(async () => {
    await seen?.close()
    await resetClock()
  })

  /** Signs out whoever is there, and in by the password. */
  const signIn = async () => {
    await seen.page.locator('.who summary').click()
    await seen.page.getByRole('button', { name: 'Sign out' }).click()
    await seen.page.locator('form').first().getByLabel('Email').fill(email)
    await seen.page.getByLabel('Password').fill(password)
    await seen.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  it('makes a token, shows it this once, and takes it back', async () => {
    await seen.open('account')
    await seen.page.getByLabel('Name', { exact: true }).fill(hard)
    await seen.page.getByRole('button', { name: 'Create token' }).click()
    const token = (await seen.page.locator('output').textContent())!
    expect((await ask('GET', '/auth/me', { token })).body.data).to.deep.include({ kind: 'pat', role: 'owner' })
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.open('account')
    expect(await seen.page.content()).not.to.contain(token)
    await seen.page.getByRole('button', { name: `Revoke ${hard}` }).click()
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await seen.page.getByText('You have no tokens.').waitFor()
    expect((await ask('GET', '/auth/me', { token })).status).to.equal(401)
    expect(seen.faults).to.deep.equal([])
  })

  it('marks the session that looks, and ends the others', async () => {
    await seen.open('account?tab=sessions')
    const rows = seen.page.getByRole('table', { name: 'Your sessions' }).locator('tbody tr')
    const before = await rows.count()
    expect(before).to.be.greaterThan(1)
    expect(await rows.filter({ hasText: 'this session' }).count()).to.equal(1)
    await seen.page.getByRole('button', { name: 'End all other sessions…' }).click()
    await seen.page.getByRole('dialog').getByRole('button', { name: 'End sessions' }).click()
    await seen.page.getByRole('dialog').waitFor({ state: 'detached' })
    await until('one is left', async () => (await rows.count()) === 1)
    expect(await rows.textContent()).to.contain('this session')
    expect(seen.faults).to.deep.equal([])
  })

  it('enrolls a device, shows its codes this once, and is asked for it at the next sign-in', async () => {
    await seen.open('account?tab=second-factor')
    await seen.page.getByLabel('Your password').fill('wrong')
    await seen.page.getByRole('button', { name: 'Set up' }).click()
    await seen.page.getByText('The password is wrong.').waitFor()
    await seen.page.getByLabel('Your password').fill(password)
    await seen.page.getByRole('button', { name: 'Set up' }).click()
    const secret = (await seen.page.locator('code.secret').textContent())!.replaceAll(' ', '')
    await seen.page.getByLabel('Current six-digit code').fill(await shownBy({ secret }))
    await seen.page.getByRole('button', { name: 'Turn on' }).click()
    await seen.page.getByText('3. Save these recovery codes').waitFor()
    const codes = await seen.page.locator('.codes li').allTextContents()
    expect(new Set(codes).size).to.equal(10)
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.page.getByRole('button', { name: 'I have saved them, continue' }).click()
    await seen.page.getByText('10 recovery codes of ten left').waitFor()

    await advance(30)
    await signIn()
    await seen.page.getByLabel('Six-digit code from your device').fill(await shownBy({ secret }))
    await seen.page.getByRole('button', { name: 'Continue' }).click()
    await seen.page.getByText('10 recovery codes of ten left').waitFor()
    await seen.open('account?tab=sessions')
    await seen.page.getByText('with a second factor').waitFor()

    await seen.open('account?tab=second-factor')
    await seen.page.getByRole('button', { name: 'Turn off…' }).click()
    await seen.page.getByLabel('Your password').fill(password)
    await seen.page.getByLabel('Six-digit code or recovery code').fill(codes[0]!)
    await seen.page.getByRole('button', { name: 'Turn off', exact: true }).click()
    await seen.page.getByRole('button', { name: 'Set up' }).waitFor()
    expect(seen.faults).to.deep.equal([])
  })
})

describeConsole('the console: who is told', () => {
  let org: Tenant
  let seen: Seen
  let chat: Receiver

  before(async () => {
    org = await tenant()
    chat = await receiver()
    seen = await look(org, { expected: /40[0-9]|422/ })
  })
  after(async () => {
    await seen?.close()
    await chat?.end()
  })

  const tested = () => chat.posts.map(({ headers }) => headers['x-tidemark-event'])

  it('makes a channel whose address is not shown again, and sends it a test', async () => {
    await seen.open('notifications?new=1')
    await seen.page.getByLabel('Name').fill(hard)
    await seen.page.getByLabel('Webhook URL').fill('ftp://nowhere')
    await seen.page.getByRole('button', { name: 'Create channel' }).click()
    await seen.page.locator('.wrong').waitFor()
    expect(await seen.page.getByLabel('Name').inputValue()).to.equal(hard)
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.page.getByLabel('Webhook URL').fill(chat.url)
    await seen.page.getByRole('button', { name: 'Create channel' }).click()
    await seen.page.getByRole('cell', { name: hard }).first().waitFor()
    expect(await seen.page.content()).not.to.contain('/hooks/T0/secret')
    await seen.page.getByRole('button', { name: `Send test to ${hard}` }).click()
    await seen.page.getByRole('status').filter({ hasText: 'delivered (200)' }).waitFor()
    expect(tested()).to.deep.equal(['test'])
    expect(seen.faults).to.deep.equal([])
  })

  it('says what the receiver answered where a test is not taken, and keeps it among what was sent', async () => {
    chat.status = 404
    await seen.open('notifications')
    await seen.page.getByRole('button', { name: `Send test to ${hard}` }).click()
    await seen.page.getByRole('status').filter({ hasText: 'not delivered' }).waitFor()
    expect(tested()).to.deep.equal(['test', 'test'])
    const states = async () => {
      await seen.open('notifications?tab=sent&event_type=test')
      return seen.page.getByRole('table', { name: 'Deliveries' }).locator('.badge').allTextContents()
    }
    await until('both are listed', async () => (await states()).join(' ') === 'failed delivered')
    await seen.page
      .getByRole('link', { name: /^Test of the channel/ })
      .first()
      .click()
    await seen.page.getByRole('dialog').getByText('the receiver returned 404').waitFor()
    await settled(seen.page)
    expect(await findings(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('subscribes it to an event by a mark, and to one resource alone by a form', async () => {
    await seen.open('notifications?tab=subscriptions')
    await seen.page.getByLabel(`Notify ${hard} about Budget Exceeded`).check()
    await seen.page.getByRole('table', { name: 'Subscriptions', exact: true }).locator('tbody tr').waitFor()
    await seen.page.getByRole('button', { name: 'Add scoped subscription' }).click()
    const panel = seen.page.getByRole('region', { name: 'All subscriptions' })
    await panel.getByLabel('Event', { exact: true }).selectOption('resource.stopped')
    await panel.getByLabel('Scope type', { exact: true }).selectOption('resource')
    const uid = `i-${'u'.repeat(1022)}`
    await panel.getByLabel('Resource UID').fill(uid)
    await panel.getByRole('button', { name: 'Subscribe' }).click()
    await until('both are there', async () => {
      const { data } = (await org.get('/notifications/subscriptions')).body
      const told = (data as any[]).map((one) => [one.eventType, one.scopeType, one.scopeID, one.enabled])
      return (
        JSON.stringify(told) ===
        JSON.stringify([
          ['budget.exceeded', 'org', '', true],
          ['resource.stopped', 'resource', uid, true],
        ])
      )
    })
    await settled(seen.page)
    await seen.page.setViewportSize({ width: 360, height: 900 })
    expect(await seen.page.evaluate(sideways)).to.equal(0)
    expect(await findings(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('keeps which mails a person wants', async () => {
    await seen.open('notifications?tab=mails')
    await seen.page.getByLabel('Budget Warning').uncheck()
    await seen.page.getByText(/^set /).waitFor()
    await seen.open('notifications?tab=mails')
    const isWanted = () => seen.page.getByLabel('Budget Warning').isChecked()
    await until('it stays', async () => !(await isWanted()))
    // Each is asked for when it is seen.
    await seen.page.getByText('Budget Exceeded').scrollIntoViewIfNeeded()
    expect(await seen.page.getByLabel('Budget Exceeded').isChecked()).to.equal(true)
    expect(seen.faults).to.deep.equal([])
  })
})
