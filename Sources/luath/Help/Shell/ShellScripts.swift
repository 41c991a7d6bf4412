import Host

/// The shells' completion scripts; each calls `luath __complete`.
enum ShellScripts {
  /// The script for `/usr/share/bash-completion/completions/luath`.
  static let bash = """
    # Completion of luath for bash.
    _luath() {
      local line=${COMP_LINE:0:COMP_POINT} current= shown name summary
      local -a words=() names=() texts=()
      read -ra words <<<"$line"
      [[ $line == *[[:blank:]] ]] || current=${words[-1]}
      [[ -z $current ]] && words+=("")
      while IFS=$'\\t' read -r name summary; do
        names+=("$name")
        texts+=("$summary")
      done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
      # bash takes "=" and ":" for the ends of words, and wants only what follows them.
      local stem=${current%"${current##*[=:]}"}
      COMPREPLY=()
      local index
      for index in "${!names[@]}"; do
        shown=${names[index]#"$stem"}
        # A list that is only looked at (Tab twice) tells what the words are.
        if [[ ${COMP_TYPE:-9} == 63 && ${#names[@]} -gt 1 && -n ${texts[index]} ]]; then
          shown+="  (${texts[index]})"
        else
          # A name with blanks stays one word.
          printf -v shown %q "$shown"
        fi
        COMPREPLY+=("$shown")
      done
      # What goes on behind it needs no blank.
      if [[ ${#names[@]} == 1 && ${names[0]} == *[/=:] ]]; then compopt -o nospace 2>/dev/null; fi
    }
    complete -F _luath luath

    """

  /// The script for a folder in zsh's `fpath`, as `_luath`.
  static let zsh = """
    #compdef luath
    # Completion of luath for zsh.
    _luath() {
      local name summary
      local -a names shown open
      while IFS=$'\\t' read -r name summary; do
        if [[ $name == *[/=:] ]]; then
          open+=("$name")
        else
          names+=("$name")
          shown+=("$name${summary:+  -- $summary}")
        fi
      done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
      (( ${#names} )) && compadd -l -d shown -a names
      (( ${#open} )) && compadd -S '' -a open
      (( ${#names} + ${#open} ))
    }
    if [[ $funcstack[1] == _luath ]]; then _luath "$@"; else compdef _luath luath; fi

    """

  /// The script for fish's `vendor_completions.d`, as `luath.fish`.
  static let fish = """
    # Completion of luath for fish.
    function __luath_complete
        set -l typed (commandline -opc)
        $typed[1] __complete $typed[2..-1] (commandline -ct) 2>/dev/null
    end
    complete -c luath -f -a '(__luath_complete)'

    """
}
