-- Number of rows in each of the files {files} of a backup. Empty files are left out.
SELECT _file AS file, toString(count()) AS rows FROM file({files:String}, 'RowBinaryWithNamesAndTypes') GROUP BY file
