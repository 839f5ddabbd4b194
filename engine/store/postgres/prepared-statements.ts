/**
 * Prepared statements: PostgreSQL parses and plans each once per connection, which takes longer than executing most of
 * them.
 */

/** How often a statement must have been used before it gets a name. */
const oftenAsked = 10
/** Each uses memory in every connection. */
const namesMax = 100
/** Texts that are counted, and maximum characters of one. */
const countedMax = 1000
const lengthMax = 5000

/** An added column would change its result, which a named statement must not. */
const isOpen = (text: string): boolean => /\*(?!\))/.test(text)

/** A page with more filters than its organization: the best plan depends on the values. */
export const isNarrowedPage = (text: string): boolean => /\blimit\b/i.test(text) && text.includes('$2')

export class PreparedStatements {
  private readonly names = new Map<string, string>()
  private readonly asked = new Map<string, number>()
  private readonly isApart: (text: string) => boolean
  private readonly prefix: string

  /**
   * `isApart`: which of them are planned for their values each time. `prefix` of their names, for connections that
   * others use too.
   */
  constructor(isApart: (text: string) => boolean = () => false, prefix = 'tidemark_') {
    this.isApart = isApart
    this.prefix = prefix
  }

  /** The name to use from now on; undefined if it was not used often enough, or there are too many. */
  nameOf(text: string): string | undefined {
    const name = this.names.get(text)
    if (name !== undefined || this.names.size >= namesMax || text.length > lengthMax) return name
    const count = (this.asked.get(text) ?? 0) + 1
    if (count < oftenAsked) {
      if (this.asked.size >= countedMax) this.asked.clear()
      this.asked.set(text, count)
      return undefined
    }
    this.asked.delete(text)
    return isOpen(text) || this.isApart(text) ? undefined : this.named(text)
  }

  private named(text: string): string {
    const name = `${this.prefix}${this.names.size}`
    this.names.set(text, name)
    return name
  }
}
