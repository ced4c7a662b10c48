# Completion of kurbel for bash. Commands and options are those that --help tells.
_kurbel() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
  if [[ ${COMP_CWORD} -eq 1 ]]; then
    words=$(kurbel --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p')
  elif [[ ${word} == -* ]]; then
    words=$(kurbel "${command}" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)
  fi
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "${words}" -- "${word}"))
}
complete -o default -F _kurbel kurbel
