/** What may be saved, and how it is done. */
import { expect } from 'chai'
import type { Journey } from '#test/console/journey/world.ts'

export const savingJourneys: readonly Journey[] = [
  {
    task: 'List idle resources with what they cost',
    actionsMax: 3,
    walk: async (hand) => {
      await hand.menu('Recommendations')
      await hand.click(hand.page.locator('summary', { hasText: 'Category' }))
      await hand.click(hand.page.getByLabel('idle', { exact: true }))
      const rows = hand.page.getByRole('table', { name: 'Recommendations' }).getByRole('row')
      // Two large machines that nobody uses are planted in the demo.
      for (const name of ['report-legacy-1', 'report-legacy-2'])
        expect(await rows.filter({ hasText: name }).filter({ hasText: '$' }).count(), name).to.be.at.least(1)
    },
  },
  {
    task: 'Make a database smaller by a workflow',
    actionsMax: 5,
    walk: async (hand) => {
      await hand.menu('Recommendations')
      await hand.type('orders-archive-db', hand.page.getByLabel('Search'))
      await hand.page.getByText(/^3 recommendations\./).waitFor()
      const row = hand.page.getByRole('table', { name: 'Recommendations' }).getByRole('row')
      await hand.click(row.filter({ hasText: 'orders-archive-db' }).getByRole('link').first())
      await hand.button('Start workflow…')
      await hand.button('Start workflow')
      await hand.page.waitForURL(/\/workflows\?job=/)
      await hand.page.getByText('orders-archive-db').first().waitFor()
    },
  },
  {
    task: 'See how much commitments cover and waste',
    actionsMax: 1,
    walk: async (hand, { data, days: { from, to } }) => {
      const { coverage } = (await data(`/reports/commitments?from=${from}&to=${to}`)).totals
      await hand.menu('Commitments')
      const tile = hand.page.locator('.tile', { hasText: 'Coverage' })
      expect(await tile.locator('.big').textContent()).to.equal(`${(coverage * 100).toFixed(1)}%`)
    },
  },
  {
    task: 'Stop the machines of a group at night',
    actionsMax: 4,
    walk: async (hand, { data }) => {
      await hand.menu('Schedules')
      await hand.button('New schedule')
      await hand.click(hand.page.getByLabel('Dev (7)'))
      await hand.page.getByText('Its rules start and stop 1 group').waitFor()
      await hand.button('Create schedule')
      await hand.page.getByRole('table', { name: 'Next runs', exact: true }).waitFor()
      const made = (await data('/schedules')).items.find(({ name }: any) => name === 'On weekdays 07:00 to 20:00')
      expect(made.rules).to.have.deep.members([
        { action: 'stop', cron: '0 20 * * 1-5' },
        { action: 'start', cron: '0 7 * * 1-5' },
      ])
    },
  },
]
