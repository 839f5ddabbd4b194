/**
 * Statements that are asked again and again: PostgreSQL reads and plans each once a connection, which takes it longer than most of
 * them take to carry out.
 */

/** How often one must have been asked before it is worth a name. */
const oftenAsked = 10
/** Each takes some room in every connection. */
const namesMax = 100
/** Texts that are counted, and characters of one that is. */
const countedMax = 1000
const lengthMax = 5000

/** A column more would change what it answers, which a statement with a name must not. */
const isOpen = (text: string): boolean => /\*(?!\))/.test(text)

/** A page that is narrowed by more than its organization: which way to its rows is short depends on the values. */
export const isNarrowedPage = (text: string): boolean => /\blimit\b/i.test(text) && text.includes('$2')

export class Prepared {
  private readonly names = new Map<string, string>()
  private readonly asked = new Map<string, number>()
  private readonly isApart: (text: string) => boolean
  private readonly prefix: string

  /** `isApart`: which of them are to be planned by their values, each time. `prefix` of their names, on connections that others use too. */
  constructor(isApart: (text: string) => boolean = () => false, prefix = 'tidemark_') {
    this.isApart = isApart
    this.prefix = prefix
  }

  /** The name it bears from now on; undefined while it has not been asked often, or where there are too many. */
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
