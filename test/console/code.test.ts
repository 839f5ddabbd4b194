import { expect } from 'chai'
import jsQR from 'jsqr'
import { generate } from 'lean-qr'
import type { Locator } from 'playwright-core'
import { outlineOf } from '../../http/console/web/part/qr-outline.ts'
import { deepConsole, findings, look } from '#test/console/browser.ts'
import { shownBy } from '#test/harness/device.ts'
import { founder, password, resetClock } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'

// What it ships is CommonJS, whose default Node gives as it is.
const decode = jsQR as unknown as typeof jsQR.default

/** What a camera reads of an element as it stands on the screen. */
async function readOf(element: Locator): Promise<string | undefined> {
  const picture = (await element.screenshot()).toString('base64')
  const { width, height, bytes } = await element.page().evaluate(async (text) => {
    const data = Uint8Array.from(atob(text), (letter) => letter.codePointAt(0)!)
    const bitmap = await createImageBitmap(new Blob([data], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
    context.drawImage(bitmap, 0, 0)
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    return { width: bitmap.width, height: bitmap.height, bytes: [...pixels] }
  }, picture)
  return decode(Uint8ClampedArray.from(bytes), width, height)?.data
}

describe('a code for cameras', () => {
  it('is one path: a piece for each run of dark modules', () => {
    const rows = ['##.', '.#.', '#.#']
    expect(outlineOf({ size: 3, get: (x, y) => rows[y]![x] === '#' })).to.equal(
      'M0 0h2v1h-2zM1 1h1v1h-1zM0 2h1v1h-1zM2 2h1v1h-1z',
    )
    expect(outlineOf(generate('x'))).to.match(/^(M\d+ \d+h\d+v1h-\d+z)+$/)
  })
})

deepConsole('the console: a code for the app', () => {
  afterEach(resetClock)

  for (const theme of ['light', 'dark'] as const)
    it(`shows the address of the secret to cameras and tells it to nobody, ${theme}`, async () => {
      const who = await founder('Of the codes')
      const seen = await look(
        { ...(await testProduct()), orgId: who.orgId },
        { theme, at: 'account?tab=second-factor' },
      )
      const { page } = seen
      await page.getByLabel('Email').first().fill(who.email)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByLabel('Your password').fill(password)
      await page.getByRole('button', { name: 'Set up' }).click()
      const code = page.getByRole('img', { name: 'QR code of the secret' })
      await code.waitFor()
      const secret = (await page.locator('code.secret').textContent())!.replaceAll(' ', '')
      const address = await page.getByRole('link', { name: 'Open in an app on this device' }).getAttribute('href')
      expect(await readOf(code)).to.equal(address)
      expect([new URL(address!).protocol, new URL(address!).searchParams.get('secret')]).to.deep.equal([
        'otpauth:',
        secret,
      ])
      expect(seen.asked.filter((one) => one.includes(secret))).to.deep.equal([])
      expect(await findings(page)).to.deep.equal([])
      await page.getByLabel('Current six-digit code').fill(await shownBy({ secret }))
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('3. Save these recovery codes').waitFor()
      expect(seen.faults).to.deep.equal([])
      await seen.close()
    })
})
