/**
 * The Chromium of this test process. It starts when a test first needs it and is shared by all files of the process; each test opens
 * contexts of its own in it. Playwright kills it when the process exits or gets a signal; if the process is killed, Chromium exits once
 * its pipe closes.
 */
import type { Browser } from 'playwright-core'

let launched: Promise<Browser> | undefined

async function launch(executablePath: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  // Test machines have no GPU: without its process Chromium starts faster. It refuses to start its sandbox as root.
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  try {
    const browser = await chromium.launch({ executablePath, args })
    browser.on('disconnected', forget)
    return browser
  } catch (error) {
    forget()
    throw error
  }
}

/** A browser that crashed or did not start fails one file: the next one gets a new one. */
const forget = (): void => {
  launched = undefined
}

export const testBrowser = (executablePath: string): Promise<Browser> => (launched ??= launch(executablePath))

export async function stopTestBrowser(): Promise<void> {
  const running = await launched?.catch(() => undefined)
  await running?.close()
}
