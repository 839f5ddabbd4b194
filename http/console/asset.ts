/** The files of the console as browsers get them. `config` bundles them; they are compressed when they are served. */

/** What the page loads: names of files, and the icon as an address that contains it. */
export interface PageFiles {
  readonly script: string
  readonly style: string
  readonly icon: string
  /** By view: every module that it needs at once, those of the frame included. */
  readonly views: Readonly<Record<string, readonly string[]>>
}

export interface ConsoleFiles {
  readonly page: PageFiles
  /** By name, which contains a hash of the content: browsers may keep a file forever. */
  readonly files: ReadonlyMap<string, Buffer>
}
