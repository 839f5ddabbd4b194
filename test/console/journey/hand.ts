/** What a person does to a page, counted: each click, key and typed text is one action; choosing from a list is two, for it is opened first. */
import type { Locator, Page } from 'playwright-core'
import { settled } from '#test/console/browser.ts'

export class Hand {
  readonly page: Page
  /** In order, in words. */
  readonly actions: string[] = []

  constructor(page: Page) {
    this.page = page
  }

  async #done(...actions: string[]): Promise<void> {
    this.actions.push(...actions)
    await settled(this.page)
  }

  async click(what: Locator): Promise<void> {
    await what.click()
    await this.#done(`click ${String(what)}`)
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key)
    await this.#done(`press ${key}`)
  }

  /** Into a field, or where the keyboard is. */
  async type(text: string, field?: Locator): Promise<void> {
    await (field ? field.fill(text) : this.page.keyboard.type(text))
    await this.#done(`type ${text}`)
  }

  async choose(option: string, list: Locator): Promise<void> {
    await list.selectOption(option)
    await this.#done(`open ${String(list)}`, `choose ${option}`)
  }

  async chooseFile(file: { name: string; mimeType: string; buffer: Buffer }, field: Locator): Promise<void> {
    await field.setInputFiles(file)
    await this.#done(`open ${String(field)}`, `choose ${file.name}`)
  }

  /** Opens a view by the menu, which is always there. */
  menu(title: string): Promise<void> {
    return this.click(
      this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true }),
    )
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }))
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name, exact: true }))
  }
}
