import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'
import { deepDescribe, deepIt } from '#test/harness/tier.ts'

const hourMs = 3_600_000

const rowsOf = (page: Page, name: string): Promise<string[]> =>
  page.getByRole('table', { name, exact: true }).locator('tbody tr').allTextContents()
const tile = (page: Page, title: string): Promise<string | null> =>
  page.locator(`.tile:has(h2:text-is("${title}")) .big`).textContent()
const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth

describeConsole('the console: control', () => {
  let f: Fleet
  let seen: Seen

  before(async () => {
    f = await fleet()
  })
  afterEach(() => seen?.close())
  after(async () => {
    await f?.end()
    await resetClock()
  })

  deepDescribe('policies', () => {
    let policyID: string
    const to = Math.floor(Date.now() / hourMs) * hourMs

    before(async () => {
      await f.publish(resourceDiscovered, [found('asg-web', { type: 'aws-asg', unitCount: 4, hourlyRateUSD: 0.8 })])
      // Twelve hours at 60 %, then twelve at 90 %, of 4 units; a sample stands for an hour at most.
      const samples = Array.from({ length: 48 }, (_, n) => {
        const ts = new Date(to - 24 * hourMs + n * 0.5 * hourMs).toISOString()
        return [
          { metric: 'cpu_percent' as const, value: n < 24 ? 60 : 90, ts },
          { metric: 'instance_count' as const, value: 4, ts },
        ]
      }).flat()
      await f.publish(metricSample, [{ resourceUid: 'asg-web', samples }], { place: 'acct-1' })
      const body = {
        name: 'Web',
        mode: 'monitor',
        cloudAccountID: 'acct-1',
        target: { type: 'aws-asg', uid: 'asg-web' },
      }
      const answer = await f.send('POST', '/autoscaler-policies', { ...body, min: 2, max: 10, targetCPUPercent: 60 })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      policyID = answer.body.data.id
    })

    it('replay the recorded load, and what others would have made of it, to the same figures as by hand', async () => {
      seen = await look(f)
      await seen.page.clock.setFixedTime(to + 60_000)
      await seen.open(`scaling?policy=${policyID}&range=24h`)
      const figures = async () =>
        Promise.all(['Unit-hours', 'Cost', 'Above its target', 'Changes'].map((one) => tile(seen.page, one)))
      // 720 minutes of 4; then 2 of 4, 5 of 5 and 713 of 6: 7191 minutes of one unit, at 0.20 an hour; 7 above 60 %.
      expect(await figures()).to.deep.equal(['119.85', '$23.97', '0.12 h', '2'])
      await seen.page.getByText('by the policy; recorded: 96').waitFor()
      // At most 5: 722 minutes of 4 and 718 of 5 are 6478; all of the second half is above.
      await seen.page.getByLabel('Maximum units').fill('5')
      await seen.page.getByRole('button', { name: 'Replay', exact: true }).click()
      await seen.page.getByText('with these settings; recorded: 96').waitFor()
      await settled(seen.page)
      expect(await figures()).to.deep.equal(['107.97', '$21.59', '12 h', '1'])
      expect(new URL(seen.page.url()).searchParams.get('max')).to.equal('5')
      expect((await f.get(`/autoscaler-policies/${policyID}`)).body.data.max).to.equal(10)
      expect([await findings(seen.page), seen.faults]).to.deep.equal([[], []])
    })

    it('say what a pause leaves as it is before they are paused', async () => {
      seen = await look(f)
      await seen.open(`scaling?policy=${policyID}`)
      await seen.page.getByRole('button', { name: 'Pause' }).click()
      const dialog = seen.page.getByRole('dialog')
      expect(await dialog.textContent()).to.include('asg-web keeps its 4 units')
      await dialog.getByRole('button', { name: 'Pause' }).click()
      await seen.page.getByRole('button', { name: 'Resume' }).waitFor()
      expect((await f.get(`/autoscaler-policies/${policyID}`)).body.data.status).to.equal('paused')
      expect(seen.faults).to.deep.equal([])
    })
  })

  deepDescribe('plans for events', () => {
    it('say when they raise what and for how much, are scheduled, and put back when they are cancelled', async () => {
      const [{ id: policyId }] = (await f.get('/autoscaler-policies')).body.data.items
      const start = Math.floor(Date.now() / hourMs) * hourMs + 48 * hourMs
      const made = await f.send('POST', '/event-readiness', {
        name: 'Sale',
        eventStart: new Date(start).toISOString(),
        eventEnd: new Date(start + 4 * hourMs).toISOString(),
        preScaleMinutes: 30,
        postEventMinutes: 45,
        expectedMultiplier: 3,
        timezone: 'UTC',
        targets: [{ policyId }],
      })
      seen = await look(f)
      await seen.open(`events?plan=${made.body.data.id}`)
      const phases = await seen.page.locator('.course li strong').allTextContents()
      expect(phases).to.deep.equal(['Before: scaled up and ready', 'During the event', 'After: kept, then restored'])
      await seen.page.getByRole('button', { name: 'Schedule' }).click()
      const dialog = seen.page.getByRole('dialog')
      // 3 x 75 % by 60 % is 3.75 times 4 units: 15, so 11 more for 5.25 hours at 0.20.
      expect(await dialog.textContent()).to.include('Estimated extra cost: $11.55.')
      await dialog.getByRole('button', { name: 'Schedule plan' }).click()
      await seen.page.locator('h1 .badge', { hasText: /^scheduled$/ }).waitFor()
      await seen.page.getByRole('button', { name: 'Delete' }).click()
      expect(await dialog.textContent()).to.include('1 policy is released')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await seen.page.getByRole('button', { name: 'Cancel plan' }).click()
      expect(await dialog.textContent()).to.include('Nothing scales up for it, and its policies are released.')
      await dialog.getByRole('button', { name: 'Cancel plan' }).click()
      await seen.page.locator('h1 .badge', { hasText: /^canceled$/ }).waitFor()
      expect([await findings(seen.page), seen.faults]).to.deep.equal([[], []])
    })
  })

  deepDescribe('provisioning', () => {
    it('shows the price before, then the hint of what failed, and goes on where it stopped', async () => {
      const place = { name: 'Production', cloudAccountID: f.accountId, region: 'us-east-1' }
      await f.send('POST', '/spaces', place)
      await f.fail([{ call: 'provision.create', error: 'quota_exceeded' }])
      seen = await look(f, { expected: /400/ })
      await seen.open('provisioning?new=job&kind=registry')
      await seen.page.getByLabel('Name', { exact: true }).fill('Not So')
      await seen.page.getByRole('button', { name: 'Estimate cost' }).click()
      await seen.page.locator('.wrong').waitFor()
      expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Not So')
      expect(await seen.page.getByRole('button', { name: 'Provision…' }).isDisabled()).to.equal(true)
      await seen.page.getByLabel('Name', { exact: true }).fill('images')
      await seen.page.getByRole('button', { name: 'Estimate cost' }).click()
      await seen.page.getByRole('button', { name: 'Provision…', disabled: false }).click()
      const dialog = seen.page.getByRole('dialog')
      expect(await dialog.textContent()).to.match(/is created in Production \(aws, us-east-1\).*\$0\.00 a month/)
      await dialog.getByRole('button', { name: 'Provision', exact: true }).click()

      const failure = seen.page.getByRole('region', { name: 'Error', exact: true })
      await failure.waitFor()
      expect(await failure.textContent()).to.include(
        'Request a higher quota from the cloud, or delete resources you do not need.',
      )
      expect(await failure.textContent()).to.include('at step create: fix it, then retry')
      const link = failure.getByRole('link', { name: 'Open the cloud console' })
      expect([await link.getAttribute('href'), await link.getAttribute('rel')]).to.deep.equal([
        'https://console.example.com/quotas',
        'noreferrer noopener',
      ])
      expect(await findings(seen.page)).to.deep.equal([])
      await seen.page.getByRole('button', { name: 'Retry' }).click()
      expect(await dialog.textContent()).to.include('Resources that already exist are not created twice.')
      await dialog.getByRole('button', { name: 'Retry' }).click()
      await seen.page.getByRole('button', { name: 'Check for drift' }).waitFor()
      const steps = (await rowsOf(seen.page, 'Steps')).map((row) =>
        row.replace(/(started 2 times)?(now|\d.*ago).*$/, '$1'),
      )
      expect(steps).to.deep.equal(['validatesucceeded', 'createsucceeded started 2 times', 'verifysucceeded'])
    })

    it('says what goes with a job before it is taken away', async () => {
      const [job] = (await f.get('/provisioning-jobs')).body.data.items
      seen = await look(f)
      await seen.open(`provisioning?job=${job.id}`)
      await seen.page.getByRole('button', { name: 'Delete' }).click()
      const dialog = seen.page.getByRole('dialog')
      expect(await dialog.textContent()).to.include('images, the image registry, is deleted in the cloud')
      expect(await dialog.textContent()).to.include('This cannot be undone')
      await dialog.getByRole('button', { name: 'Delete everything' }).click()
      await seen.page.locator('h1 .badge', { hasText: /^deleted$/ }).waitFor()
      expect(seen.faults).to.deep.equal([])
    })
  })

  describe('schedules', () => {
    const make = async (rules: readonly (readonly [action: string, cron: string])[]) => {
      await seen.open('schedules?new=schedule')
      await seen.page.getByLabel('Name', { exact: true }).fill('Night')
      await seen.page.getByLabel('Time zone').fill('Europe/Berlin')
      await seen.page.getByText('Advanced: rules as cron').click()
      for (const [at, [action, cron]] of rules.entries()) {
        await seen.page.getByLabel(`Rule ${at + 1}`, { exact: true }).selectOption(action)
        await seen.page.getByLabel(`Cron, rule ${at + 1}`).fill(cron)
      }
    }
    /** What it does, when on the wall, and when in UTC. */
    const runs = async (table: string, count: number) =>
      (await rowsOf(seen.page, table)).slice(0, count).map((row) => row.replaceAll(',', '').replaceAll(/\s+/g, ' '))

    deepIt('fire once where the clock shows an hour twice, and say so before they are made', async () => {
      // 03:00 becomes 02:00 on Sunday 28 October 2029 in Berlin.
      await setClock(new Date('2029-10-27T12:00:00Z'), f.orgId)
      seen = await look(f, { expected: /400/ })
      await make([
        ['stop', '30 2 * * *'],
        ['start', '61 7 * * *'],
      ])
      const show = seen.page.getByRole('button', { name: 'Preview runs' })
      await show.click()
      await seen.page.locator('.wrong').waitFor()
      expect(await seen.page.locator('.wrong').textContent()).to.equal('It minute: "61" is not 0 to 59.')
      await seen.page.getByLabel('Cron, rule 2').fill('0 7 * * *')
      await show.click()
      await seen.page.getByRole('table', { name: 'Upcoming runs' }).waitFor()
      expect(await runs('Upcoming runs', 4)).to.deep.equal([
        'StopSun Oct 28 2029 02:30 UTC+2Oct 28 2029 00:30 UTC',
        'StartSun Oct 28 2029 07:00 UTC+1clocks go back: UTC+1 from now onOct 28 2029 06:00 UTC',
        'StopMon Oct 29 2029 02:30 UTC+1Oct 29 2029 01:30 UTC',
        'StartMon Oct 29 2029 07:00 UTC+1Oct 29 2029 06:00 UTC',
      ])
      expect((await f.get('/schedules')).body.data.total).to.equal(0)
      expect(await findings(seen.page)).to.deep.equal([])
    })

    deepIt('fire behind the gap where the clock jumps over their time', async () => {
      // 02:00 becomes 03:00 on Sunday 31 March 2030 in Berlin.
      await setClock(new Date('2030-03-29T12:00:00Z'), f.orgId)
      await f.discover(['vm'])
      seen = await look(f)
      await make([
        ['stop', '30 2 * * *'],
        ['start', '0 7 * * *'],
      ])
      await seen.page.getByLabel('Resources', { exact: true }).fill('name of')
      await seen.page.getByRole('button', { name: /^Add name of vm/ }).click()
      await seen.page.getByText('Its rules start and stop 1 resource in time zone Europe/Berlin').waitFor()
      await seen.page.getByRole('button', { name: 'Create schedule', exact: true }).click()
      await seen.page.getByRole('table', { name: 'Next runs', exact: true }).waitFor()
      expect(await runs('Next runs', 5)).to.deep.equal([
        'StopSat Mar 30 2030 02:30 UTC+1Mar 30 2030 01:30 UTC',
        'StartSat Mar 30 2030 07:00 UTC+1Mar 30 2030 06:00 UTC',
        'StopSun Mar 31 2030 03:00 UTC+2clocks go forward: UTC+2 from now onclocks change from 01:59 to 03:00: times in between run at 03:00 on this dayMar 31 2030 01:00 UTC',
        'StartSun Mar 31 2030 07:00 UTC+2Mar 31 2030 05:00 UTC',
        'StopMon Apr 1 2030 02:30 UTC+2Apr 1 2030 00:30 UTC',
      ])
      expect([await findings(seen.page), seen.faults]).to.deep.equal([[], []])
    })

    deepIt('are paused and go on, and say first what that leaves as it is', async () => {
      const [{ id }] = (await f.get('/schedules')).body.data.items
      seen = await look(f)
      await seen.open(`schedules?schedule=${id}`)
      await seen.page.getByRole('button', { name: 'Pause' }).click()
      expect(await seen.page.getByRole('dialog').textContent()).to.include('Stopped resources stay stopped')
      await seen.page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
      await seen.page.getByText('No upcoming runs.', { exact: true }).waitFor()
      await seen.page.getByRole('button', { name: 'Resume' }).click()
      await seen.page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
      await seen.page.getByRole('table', { name: 'Next runs', exact: true }).waitFor()
      expect(seen.faults).to.deep.equal([])
    })

    deepIt('have exceptions until a time, for a reason, that end', async () => {
      await setClock(new Date('2030-03-29T12:10:00Z'), f.orgId)
      seen = await look(f, { expected: /400/ })
      await seen.open('schedules?tab=overrides&new=override')
      await seen.page.getByLabel('Resource', { exact: true }).fill('vm')
      await seen.page.getByRole('button', { name: /^Add name of vm/ }).click()
      await seen.page.getByLabel('State', { exact: true }).selectOption('stopped')
      await seen.page.getByLabel('Reason', { exact: true }).fill('<b>Load</b> test')
      const make = seen.page.getByRole('button', { name: 'Create override…' })
      const dialog = seen.page.getByRole('dialog')
      // The time that stands there is of the machine, years before that of the product.
      await make.click()
      await dialog.getByRole('button', { name: 'Stop and keep stopped' }).click()
      await seen.page.locator('.wrong').waitFor()
      expect(await seen.page.getByLabel('Reason', { exact: true }).inputValue()).to.equal('<b>Load</b> test')
      await seen.page.getByLabel('Until (time zone').fill('2030-03-29T20:00')
      await make.click()
      expect((await dialog.textContent())!.replaceAll(/\s+/g, ' ')).to.match(
        /vm is stopped now if it is not stopped already, and schedules do not affect it until Fri, Mar 29, 2030,? (at )?20:00 \(UTC\+0\)/,
      )
      await dialog.getByRole('button', { name: 'Stop and keep stopped' }).click()
      const row = seen.page.getByRole('table', { name: 'Overrides' }).locator('tbody tr')
      await row.getByText('active').waitFor()
      expect(await row.textContent()).to.include('<b>Load</b> test')
      const [made] = (await f.get('/overrides')).body.data
      expect([made.expiresAt, made.status]).to.deep.equal(['2030-03-29T20:00:00.000Z', 'active'])
      await until(
        'it is stopped',
        async () => (await f.get('/resources/by-uids?uids=vm')).body.data[0].status === 'stopped',
      )

      await row.getByRole('button', { name: /^End/ }).click()
      expect(await dialog.textContent()).to.include('its schedules apply immediately')
      await dialog.getByRole('button', { name: 'End override' }).click()
      await row.getByText('cancelled').waitFor()
      expect((await f.get('/overrides?active=true')).body.data).to.deep.equal([])
      expect(await findings(seen.page)).to.deep.equal([])
    })
  })

  deepDescribe('whoever looks', () => {
    it('sees as a viewer what there is, and which right each change needs, 360 wide too', async () => {
      const [schedule] = (await f.get('/schedules')).body.data.items
      const [policy] = (await f.get('/autoscaler-policies')).body.data.items
      const [job] = (await f.get('/provisioning-jobs')).body.data.items
      seen = await look(f, { role: 'viewer', width: 360 })
      for (const [place, name, right] of [
        ['schedules', 'New schedule', 'service.create'],
        [`schedules?schedule=${schedule.id}`, 'Pause', 'service.update'],
        ['schedules?tab=overrides', 'New override', 'service.create'],
        ['scaling', 'New policy', 'service.create'],
        [`scaling?policy=${policy.id}`, 'Remove', 'service.delete'],
        ['events', 'New plan', 'service.create'],
        ['provisioning', 'Provision', 'provisioning.create'],
        ['provisioning?tab=spaces', 'Create space', 'space.create'],
        ['provisioning?tab=deployments', 'New deployment', 'deployment.create'],
      ] as const) {
        await seen.open(place)
        const button = seen.page.getByRole('button', { name, exact: true })
        expect([await button.isDisabled(), await button.getAttribute('title')], place).to.deep.equal([
          true,
          `Requires the ${right} permission`,
        ])
        expect(await seen.page.evaluate(sideways), place).to.equal(0)
        expect(await findings(seen.page), place).to.deep.equal([])
      }
      await seen.open(`provisioning?job=${job.id}`)
      expect([await seen.page.evaluate(sideways), seen.faults]).to.deep.equal([0, []])
    })

    it('fills in the forms on a phone: they fit, and are for all', async () => {
      seen = await look(f, { theme: 'dark', width: 360 })
      for (const place of [
        'schedules?new=schedule',
        'schedules?tab=overrides&new=override',
        'scaling?new=policy',
        'events?new=plan',
        'provisioning?new=job&kind=vm_pool',
      ]) {
        await seen.open(place)
        expect(await seen.page.evaluate(sideways), place).to.equal(0)
        expect(await findings(seen.page), place).to.deep.equal([])
      }
      expect(seen.faults).to.deep.equal([])
    })
  })
})
